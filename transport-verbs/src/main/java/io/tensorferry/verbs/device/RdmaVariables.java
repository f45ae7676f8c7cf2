package io.tensorferry.verbs.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads an [RdmaConfig] from environment variables.
///
/// The names are those that the documentation of TensorFlow's verbs transport gives. Its code read other names for
/// some of them; these are understood too, with a warning, and only where the documented name is not set.
final class RdmaVariables {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaVariables.class);

    private static final String FALLBACK = "RDMA_FALLBACK";

    private final Map<String, String> variables;
    private final List<String> remarks = new ArrayList<>();

    RdmaVariables(Map<String, String> variables) {
        this.variables = variables;
    }

    /// @throws IllegalArgumentException naming the variable, its value and what is accepted
    RdmaConfig read() {
        RdmaConfig.Builder builder = RdmaConfig.builder();
        builder.device(value(RdmaSetting.DEVICE.variable()));
        number(RdmaSetting.PORT, builder::port);
        number(RdmaSetting.GID_INDEX, builder::gidIndex);
        number(RdmaSetting.PKEY_INDEX, builder::pkeyIndex);
        number(RdmaSetting.QUEUE_DEPTH, builder::queueDepth);
        number(RdmaSetting.TIMEOUT, builder::timeout);
        number(RdmaSetting.RETRY_COUNT, builder::retryCount);
        number(RdmaSetting.SERVICE_LEVEL, builder::serviceLevel);
        number(RdmaSetting.MTU, builder::mtu);
        number(RdmaSetting.TRAFFIC_CLASS, builder::trafficClass);
        keyScope(builder);
        String fallback = value(FALLBACK);
        if (fallback != null) {
            builder.fallback(Fallback.parse(FALLBACK, fallback));
        }
        RdmaConfig config = builder.build();
        if (!remarks.isEmpty()) {
            LOG.warn(
                    "environment variables with another spelling than the documented one: {}",
                    String.join("; ", remarks));
        }
        return config;
    }

    private void keyScope(RdmaConfig.Builder builder) {
        String variable = RdmaSetting.RKEY_SCOPE.variable();
        String value = value(variable);
        if (value != null) {
            RemoteKeyScope scope = RemoteKeyScope.of(value);
            if (scope == null) {
                throw RdmaSetting.RKEY_SCOPE.unreadable(variable, value);
            }
            builder.rkeyScope(scope);
        }
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
