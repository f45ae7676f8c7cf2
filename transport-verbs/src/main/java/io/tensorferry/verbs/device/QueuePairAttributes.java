package io.tensorferry.verbs.device;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The target state and the attributes of one `modify` call. Threading: one thread builds the object; it must not be
/// modified after that.
public final class QueuePairAttributes {
    public static final int ACCESS_REMOTE_WRITE = 2;
    public static final int ACCESS_REMOTE_READ = 4;

    private final QueuePairState target;
    private final Map<QueuePairAttribute, Integer> values = new EnumMap<>(QueuePairAttribute.class);
    private @Nullable AddressHandle address;

    private QueuePairAttributes(QueuePairState target) {
        this.target = target;
    }

    public static QueuePairAttributes to(QueuePairState target) {
        return new QueuePairAttributes(target);
    }

    /// Sets a numeric attribute.
    ///
    /// @throws IllegalArgumentException for [QueuePairAttribute#ADDRESS], which is not a number
    public QueuePairAttributes set(QueuePairAttribute attribute, int value) {
        if (attribute == QueuePairAttribute.ADDRESS) {
            throw new IllegalArgumentException("ADDRESS is set by address()");
        }
        values.put(attribute, value);
        return this;
    }

    public QueuePairAttributes address(AddressHandle handle) {
        address = handle;
        return this;
    }

    public QueuePairState target() {
        return target;
    }

    /// The attributes that are set.
    public Set<QueuePairAttribute> present() {
        var present = EnumSet.noneOf(QueuePairAttribute.class);
        present.addAll(values.keySet());
        if (address != null) {
            present.add(QueuePairAttribute.ADDRESS);
        }
        return present;
    }

    /// @throws IllegalStateException if the attribute is not set
    public int get(QueuePairAttribute attribute) {
        Integer value = values.get(attribute);
        if (value == null) {
            throw new IllegalStateException(attribute + " is not set");
        }
        return value;
    }

    /// @throws IllegalStateException if the address is not set
    public AddressHandle address() {
        if (address == null) {
            throw new IllegalStateException("ADDRESS is not set");
        }
        return address;
    }

    /// Formats the target state and every attribute with its value, for error messages.
    @Override
    public String toString() {
        return target + " " + values + (address == null ? "" : " " + address);
    }
}
