package io.tensorferry.verbs.config;

import io.tensorferry.verbs.device.DeviceDescription;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Configuration of the RDMA transport: the `RDMA_*` variables, read once. Immutable.
///
/// The constructor checks the range of each value. [io.tensorferry.verbs.device.choice.DeviceChoice] checks the limits
/// of the device.
///
/// @param device the device's name (`RDMA_DEVICE`), or null for the first device with an active port
/// @param require the required kind of device (`RDMA_REQUIRE`)
/// @param port the port, from 1 (`RDMA_DEVICE_PORT`), or null for the first active port; requires `device`
/// @param gidIndex index into the port's GID table (`RDMA_GID_INDEX`), or null to select an entry automatically
/// @param pkeyIndex index into the port's partition-key table (`RDMA_QP_PKEY_INDEX`)
/// @param queueDepth work requests in each send and receive queue (`RDMA_QP_QUEUE_DEPTH`), 1 or more
/// @param timeout exponent n of the retransmission timeout, 4.096 us x 2^n (`RDMA_QP_TIMEOUT`), 0 to 31; 0 waits
///     forever
/// @param retryCount number of retransmissions of a packet (`RDMA_QP_RETRY_COUNT`), 0 to 7
/// @param serviceLevel the service level (`RDMA_QP_SL`), 0 to 7
/// @param mtu payload bytes of a packet (`RDMA_QP_MTU`): 256, 512, 1024, 2048 or 4096, or null for the port's active
///     MTU
/// @param trafficClass the traffic class (`RDMA_TRAFFIC_CLASS`), 0 to 255
/// @param portGraceMillis how long channels are kept after their port went down (`RDMA_PORT_GRACE_MS`), 0 to 3,600,000,
///     or null for the default of [#portGrace()]
/// @param rkeyScope the memory that an rkey given to a peer covers (`RDMA_RKEY_SCOPE`)
/// @param fallback the transport for receives without a channel (`RDMA_FALLBACK`)
/// @param hugePages the page kind of slabs (`RDMA_HUGE_PAGES`)
/// @param numaNode the preferred NUMA node of slabs (`RDMA_NUMA_NODE`)
/// @param softCarrier how the software device reaches its peers (`RDMA_SOFT_CARRIER`)
/// @param gpuDirect whether the device accesses accelerator memory directly (`RDMA_GPU_DIRECT`)
/// @param relaxedOrdering the memory that the device may write in relaxed order (`RDMA_RELAXED_ORDERING`)
public record RdmaConfig(
        @Nullable String device,
        DeviceRequirement require,
        @Nullable Integer port,
        @Nullable Integer gidIndex,
        int pkeyIndex,
        int queueDepth,
        int timeout,
        int retryCount,
        int serviceLevel,
        @Nullable Integer mtu,
        int trafficClass,
        @Nullable Integer portGraceMillis,
        RemoteKeyScope rkeyScope,
        Fallback fallback,
        HugePages hugePages,
        NumaPlacement numaNode,
        SoftCarrier softCarrier,
        GpuDirect gpuDirect,
        RelaxedOrdering relaxedOrdering) {
    private static final long TIMEOUT_UNIT_NS = 4096;
    private static final long LATEST_TIMEOUT_FACTOR = 4;

    /// @throws IllegalArgumentException if a value is out of its range, or a port is given without a device
    public RdmaConfig {
        if (device != null && device.isBlank()) {
            throw RdmaSetting.DEVICE.refused("empty", "the name of a device");
        }
        RdmaSetting.PORT.check(port);
        RdmaSetting.GID_INDEX.check(gidIndex);
        RdmaSetting.PKEY_INDEX.check(pkeyIndex);
        RdmaSetting.QUEUE_DEPTH.check(queueDepth);
        RdmaSetting.TIMEOUT.check(timeout);
        RdmaSetting.RETRY_COUNT.check(retryCount);
        RdmaSetting.SERVICE_LEVEL.check(serviceLevel);
        RdmaSetting.MTU.check(mtu);
        RdmaSetting.TRAFFIC_CLASS.check(trafficClass);
        RdmaSetting.PORT_GRACE.check(portGraceMillis);
        if (port != null && device == null) {
            throw RdmaSetting.PORT.refused(port, "a port only together with " + RdmaSetting.DEVICE);
        }
    }

    /// Reads the `RDMA_*` variables of this process.
    ///
    /// @throws IllegalArgumentException naming the variable, its value and what is accepted
    public static RdmaConfig fromEnvironment() {
        return from(System.getenv());
    }

    /// Reads the `RDMA_*` variables from a map. An empty value counts as not set; surrounding spaces are ignored.
    ///
    /// @throws IllegalArgumentException naming the variable, its value and what is accepted
    public static RdmaConfig from(Map<String, String> variables) {
        return new RdmaVariables(variables).read();
    }

    /// How long channels are kept after their port went down, in case it comes back.
    ///
    /// Without a setting, returns the longest time that a reliable connection needs to give up: the InfiniBand standard
    /// allows a device up to four times [#timeout()] for each attempt. After this time every channel with outstanding
    /// work has failed by itself, so the grace period only ends idle channels.
    ///
    /// @return empty if the connections themselves never give up, because [#timeout()] is 0
    public Optional<Duration> portGrace() {
        if (portGraceMillis != null) {
            return Optional.of(Duration.ofMillis(portGraceMillis));
        }
        long attemptNs = TIMEOUT_UNIT_NS << timeout;
        return timeout == 0
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(LATEST_TIMEOUT_FACTOR * attemptNs * (retryCount + 1)));
    }

    /// Logs a warning, once per process and name, for each variable that begins with `RDMA_` and has no effect, with
    /// the most similar known name. [#from] does so too.
    public static void warnOfUnknown(Map<String, String> variables) {
        UnknownVariables.report(variables);
    }

    /// Returns a copy with another [#rkeyScope].
    public RdmaConfig withRkeyScope(RemoteKeyScope scope) {
        return with(require, scope, fallback, softCarrier, gpuDirect);
    }

    /// Returns a copy with another [#fallback].
    public RdmaConfig withFallback(Fallback changed) {
        return with(require, rkeyScope, changed, softCarrier, gpuDirect);
    }

    /// Returns a copy with another [#softCarrier].
    public RdmaConfig withSoftCarrier(SoftCarrier changed) {
        return with(require, rkeyScope, fallback, changed, gpuDirect);
    }

    /// Returns a copy with another [#gpuDirect].
    public RdmaConfig withGpuDirect(GpuDirect changed) {
        return with(require, rkeyScope, fallback, softCarrier, changed);
    }

    /// Returns a copy for memory of this device, in which [HugePages#AUTO] is resolved.
    public RdmaConfig forMemoryOf(DeviceDescription description) {
        return with(require, rkeyScope, fallback, softCarrier, gpuDirect, hugePages.on(description));
    }

    /// Returns a copy with another [#require].
    public RdmaConfig withRequire(DeviceRequirement changed) {
        return with(changed, rkeyScope, fallback, softCarrier, gpuDirect);
    }

    private RdmaConfig with(
            DeviceRequirement needed, RemoteKeyScope scope, Fallback changed, SoftCarrier way, GpuDirect direct) {
        return with(needed, scope, changed, way, direct, hugePages);
    }

    private RdmaConfig with(
            DeviceRequirement needed,
            RemoteKeyScope scope,
            Fallback changed,
            SoftCarrier way,
            GpuDirect direct,
            HugePages pages) {
        return new RdmaConfig(
                device,
                needed,
                port,
                gidIndex,
                pkeyIndex,
                queueDepth,
                timeout,
                retryCount,
                serviceLevel,
                mtu,
                trafficClass,
                portGraceMillis,
                scope,
                changed,
                pages,
                numaNode,
                way,
                direct,
                relaxedOrdering);
    }

    /// Returns a builder with the defaults.
    public static Builder builder() {
        return new Builder();
    }

    /// Builds an [RdmaConfig] from values that differ from the defaults. Threading: one thread.
    public static final class Builder {
        private static final int DEFAULT_QUEUE_DEPTH = 1024;
        private static final int DEFAULT_TIMEOUT = 14;
        private static final int DEFAULT_RETRY_COUNT = 7;

        private @Nullable String device;
        private DeviceRequirement require = DeviceRequirement.ANY;
        private @Nullable Integer port;
        private @Nullable Integer gidIndex;
        private int pkeyIndex;
        private int queueDepth = DEFAULT_QUEUE_DEPTH;
        private int timeout = DEFAULT_TIMEOUT;
        private int retryCount = DEFAULT_RETRY_COUNT;
        private int serviceLevel;
        private @Nullable Integer mtu;
        private int trafficClass;
        private @Nullable Integer portGraceMillis;
        private RemoteKeyScope rkeyScope = RemoteKeyScope.SLAB;
        private Fallback fallback = Fallback.NONE;
        private HugePages hugePages = HugePages.AUTO;
        private SoftCarrier softCarrier = SoftCarrier.AUTO;
        private NumaPlacement numaNode = NumaPlacement.ANYWHERE;
        private GpuDirect gpuDirect = GpuDirect.AUTO;
        private RelaxedOrdering relaxedOrdering = RelaxedOrdering.AUTO;

        private Builder() {}

        public Builder device(@Nullable String device) {
            this.device = device;
            return this;
        }

        public Builder require(DeviceRequirement require) {
            this.require = require;
            return this;
        }

        public Builder port(@Nullable Integer port) {
            this.port = port;
            return this;
        }

        public Builder gidIndex(@Nullable Integer gidIndex) {
            this.gidIndex = gidIndex;
            return this;
        }

        public Builder pkeyIndex(int pkeyIndex) {
            this.pkeyIndex = pkeyIndex;
            return this;
        }

        public Builder queueDepth(int queueDepth) {
            this.queueDepth = queueDepth;
            return this;
        }

        public Builder timeout(int timeout) {
            this.timeout = timeout;
            return this;
        }

        public Builder retryCount(int retryCount) {
            this.retryCount = retryCount;
            return this;
        }

        public Builder serviceLevel(int serviceLevel) {
            this.serviceLevel = serviceLevel;
            return this;
        }

        public Builder mtu(@Nullable Integer mtu) {
            this.mtu = mtu;
            return this;
        }

        public Builder trafficClass(int trafficClass) {
            this.trafficClass = trafficClass;
            return this;
        }

        public Builder portGraceMillis(@Nullable Integer portGraceMillis) {
            this.portGraceMillis = portGraceMillis;
            return this;
        }

        public Builder rkeyScope(RemoteKeyScope rkeyScope) {
            this.rkeyScope = rkeyScope;
            return this;
        }

        public Builder fallback(Fallback fallback) {
            this.fallback = fallback;
            return this;
        }

        public Builder hugePages(HugePages hugePages) {
            this.hugePages = hugePages;
            return this;
        }

        public Builder numaNode(NumaPlacement numaNode) {
            this.numaNode = numaNode;
            return this;
        }

        public Builder softCarrier(SoftCarrier softCarrier) {
            this.softCarrier = softCarrier;
            return this;
        }

        public Builder gpuDirect(GpuDirect gpuDirect) {
            this.gpuDirect = gpuDirect;
            return this;
        }

        public Builder relaxedOrdering(RelaxedOrdering relaxedOrdering) {
            this.relaxedOrdering = relaxedOrdering;
            return this;
        }

        /// @throws IllegalArgumentException if a value is out of its range, naming the field, or a port is given
        ///     without a device
        public RdmaConfig build() {
            return new RdmaConfig(
                    device,
                    require,
                    port,
                    gidIndex,
                    pkeyIndex,
                    queueDepth,
                    timeout,
                    retryCount,
                    serviceLevel,
                    mtu,
                    trafficClass,
                    portGraceMillis,
                    rkeyScope,
                    fallback,
                    hugePages,
                    numaNode,
                    softCarrier,
                    gpuDirect,
                    relaxedOrdering);
        }
    }
}
