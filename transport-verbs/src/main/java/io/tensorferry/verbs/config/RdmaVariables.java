package io.tensorferry.verbs.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads an [RdmaConfig] from environment variables.
///
/// The names are taken from the documentation of TensorFlow's verbs transport. Its code read different names for some
/// of them. This class accepts those too, with a warning, if the documented name is not set.
final class RdmaVariables {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaVariables.class);

    private final Map<String, String> variables;
    private final List<String> remarks = new ArrayList<>();

    RdmaVariables(Map<String, String> variables) {
        this.variables = variables;
    }

    /// @throws IllegalArgumentException naming the variable, its value and what is accepted
    RdmaConfig read() {
        RdmaConfig.Builder builder = RdmaConfig.builder();
        builder.device(value(RdmaSetting.DEVICE.variable()));
        word(RdmaSetting.REQUIRE, word -> named(word, DeviceRequirement.values()), builder::require);
        number(RdmaSetting.PORT, builder::port);
        number(RdmaSetting.GID_INDEX, builder::gidIndex);
        number(RdmaSetting.PKEY_INDEX, builder::pkeyIndex);
        number(RdmaSetting.QUEUE_DEPTH, builder::queueDepth);
        number(RdmaSetting.TIMEOUT, builder::timeout);
        number(RdmaSetting.RETRY_COUNT, builder::retryCount);
        number(RdmaSetting.SERVICE_LEVEL, builder::serviceLevel);
        number(RdmaSetting.MTU, builder::mtu);
        number(RdmaSetting.TRAFFIC_CLASS, builder::trafficClass);
        number(RdmaSetting.PORT_GRACE, builder::portGraceMillis);
        word(
                RdmaSetting.RKEY_SCOPE,
                word -> named(word.toLowerCase(Locale.ROOT), RemoteKeyScope.values()),
                builder::rkeyScope);
        word(RdmaSetting.FALLBACK, word -> named(word, Fallback.values()), builder::fallback);
        word(RdmaSetting.HUGE_PAGES, word -> named(word, HugePages.values()), builder::hugePages);
        word(RdmaSetting.NUMA_NODE, NumaPlacement::of, builder::numaNode);
        word(RdmaSetting.SOFT_CARRIER, word -> named(word, SoftCarrier.values()), builder::softCarrier);
        word(RdmaSetting.GPU_DIRECT, word -> named(word, GpuDirect.values()), builder::gpuDirect);
        word(RdmaSetting.RELAXED_ORDERING, word -> named(word, RelaxedOrdering.values()), builder::relaxedOrdering);
        RdmaConfig config = builder.build();
        if (!remarks.isEmpty()) {
            LOG.warn(
                    "environment variables whose names differ from the documented ones: {}",
                    String.join("; ", remarks));
        }
        UnknownVariables.report(variables);
        return config;
    }

    /// Returns the constant whose string form is `word`; null if there is none.
    private static <E extends Enum<E>> @Nullable E named(String word, E[] all) {
        for (E each : all) {
            if (each.toString().equals(word)) {
                return each;
            }
        }
        return null;
    }

    /// @param reading converts a word to its value, or to null if the word is not accepted
    private <T> void word(RdmaSetting setting, Function<String, @Nullable T> reading, Consumer<T> target) {
        String value = value(setting.variable());
        if (value == null) {
            return;
        }
        T read = reading.apply(value);
        if (read == null) {
            throw setting.unreadable(setting.variable(), value);
        }
        target.accept(read);
    }

    private void number(RdmaSetting setting, IntConsumer target) {
        String documented = value(setting.variable());
        String alias = setting.alias();
        String other = alias == null ? null : value(alias);
        if (documented != null) {
            target.accept(setting.parse(setting.variable(), documented));
            if (other != null) {
                remarks.add(alias + " is ignored, because " + setting.variable() + " is set");
            }
        } else if (alias != null && other != null) {
            target.accept(setting.parse(alias, other));
            remarks.add(alias + " is read as " + setting.variable());
        }
    }

    private @Nullable String value(String name) {
        String value = variables.get(name);
        return value == null || value.isBlank() ? null : value.strip();
    }
}
