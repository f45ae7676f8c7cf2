package io.tensorferry.verbs.device;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// How the software device reaches its peers.
public enum SoftCarrier {
    /// Through shared memory where the peer is on this host and both can map the other's memory, else over TCP.
    AUTO,
    /// Through shared memory alone: a peer that cannot be reached so is not reached.
    SHARED,
    /// Over TCP alone.
    TCP;

    /// The one that a setting's value names; null if it names none.
    static @Nullable SoftCarrier of(String value) {
        for (SoftCarrier carrier : values()) {
            if (carrier.toString().equals(value)) {
                return carrier;
            }
        }
        return null;
    }

    /// As in the settings: `auto`, `shared` or `tcp`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
