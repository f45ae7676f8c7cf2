package io.tensorferry.verbs.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The settings of [RdmaConfig]: the documented variable, its alternative spelling, the field of the record, and the
/// accepted values that do not depend on the device.
public enum RdmaSetting {
    DEVICE("RDMA_DEVICE", null, "device", 0, 0, "the name of a device"),
    REQUIRE("RDMA_REQUIRE", null, "require", 0, 0, "any, hardware"),
    PORT("RDMA_DEVICE_PORT", null, "port", 1, Integer.MAX_VALUE, "1 to the device's number of ports, and active"),
    GID_INDEX("RDMA_GID_INDEX", null, "gidIndex", 0, Integer.MAX_VALUE, "0 to the length of the port's GID table - 1"),
    PKEY_INDEX(
            "RDMA_QP_PKEY_INDEX",
            "RDMA_PKEY",
            "pkeyIndex",
            0,
            Integer.MAX_VALUE,
            "0 to the length of the port's partition-key table - 1"),
    QUEUE_DEPTH(
            "RDMA_QP_QUEUE_DEPTH",
            "RDMA_QUEUE_DEPTH",
            "queueDepth",
            1,
            Integer.MAX_VALUE,
            "1 to the device's max_qp_wr"),
    TIMEOUT("RDMA_QP_TIMEOUT", "RDMA_TIMEOUT", "timeout", 0, 31, "0 to 31 (4.096 us x 2^n; 0 is infinite)"),
    RETRY_COUNT("RDMA_QP_RETRY_COUNT", "RDMA_RETRY_CNT", "retryCount", 0, 7, "0 to 7"),
    SERVICE_LEVEL("RDMA_QP_SL", "RDMA_SL", "serviceLevel", 0, 7, "0 to 7"),
    MTU(
            "RDMA_QP_MTU",
            "RDMA_MTU",
            "mtu",
            256,
            4096,
            "256, 512, 1024, 2048 or 4096, and at most the port's active MTU") {
        @Override
        boolean accepts(int value) {
            return MTUS.contains(value);
        }
    },
    TRAFFIC_CLASS("RDMA_TRAFFIC_CLASS", null, "trafficClass", 0, 255, "0 to 255"),
    PORT_GRACE("RDMA_PORT_GRACE_MS", null, "portGraceMillis", 0, 3_600_000, "0 to 3600000 (milliseconds)"),
    RKEY_SCOPE("RDMA_RKEY_SCOPE", null, "rkeyScope", 0, 0, "slab or request"),
    FALLBACK("RDMA_FALLBACK", null, "fallback", 0, 0, "none, grpc"),
    HUGE_PAGES("RDMA_HUGE_PAGES", null, "hugePages", 0, 0, "auto, none, transparent, reserved"),
    NUMA_NODE("RDMA_NUMA_NODE", null, "numaNode", 0, 0, "none, device, or the number of a node"),
    SOFT_CARRIER("RDMA_SOFT_CARRIER", null, "softCarrier", 0, 0, "auto, shared, tcp"),
    GPU_DIRECT("RDMA_GPU_DIRECT", null, "gpuDirect", 0, 0, "auto, on, off"),
    RELAXED_ORDERING("RDMA_RELAXED_ORDERING", null, "relaxedOrdering", 0, 0, "auto, on, off");

    private static final List<Integer> MTUS = List.of(256, 512, 1024, 2048, 4096);

    private final String variable;
    private final @Nullable String alias;
    private final String field;
    private final int minimum;
    private final int maximum;
    private final String accepted;

    RdmaSetting(String variable, @Nullable String alias, String field, int minimum, int maximum, String accepted) {
        this.variable = variable;
        this.alias = alias;
        this.field = field;
        this.minimum = minimum;
        this.maximum = maximum;
        this.accepted = accepted;
    }

    /// The documented environment variable.
    public String variable() {
        return variable;
    }

    /// The variable's name in the original C++ code, or null if it is the same.
    @Nullable
    String alias() {
        return alias;
    }

    boolean accepts(int value) {
        return value >= minimum && value <= maximum;
    }

    /// Reads a variable's value.
    ///
    /// @param name the variable as it was spelled
    /// @throws IllegalArgumentException if it is no number, or out of range
    int parse(String name, String value) {
        try {
            int number = Integer.parseInt(value);
            if (accepts(number)) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below like a number out of range.
        }
        throw unreadable(name, value);
    }

    /// Creates the error for a value of a variable that is not accepted.
    ///
    /// @param name the variable as it was spelled
    IllegalArgumentException unreadable(String name, String value) {
        return new IllegalArgumentException(name + " is '" + value + "'; accepted: " + accepted);
    }

    /// @throws IllegalArgumentException if the value is not accepted
    void check(@Nullable Integer value) {
        if (value != null && !accepts(value)) {
            throw refused(value, accepted);
        }
    }

    /// Creates the error for a value that this device or port does not support.
    ///
    /// @param accepted the range that the device or port supports
    public IllegalArgumentException refused(Object value, String accepted) {
        return new IllegalArgumentException(this + " is " + value + "; accepted: " + accepted);
    }

    /// For example `timeout (RDMA_QP_TIMEOUT)`.
    @Override
    public String toString() {
        return field + " (" + variable + ")";
    }
}
