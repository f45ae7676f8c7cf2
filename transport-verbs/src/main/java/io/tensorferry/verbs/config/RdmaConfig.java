package io.tensorferry.verbs.config;

import io.tensorferry.verbs.device.DeviceDescription;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// How the RDMA transport is set up: the `RDMA_*` variables, read once. Immutable.
///
/// A value's own range is checked here; what depends on the device is checked by
/// [io.tensorferry.verbs.device.choice.DeviceChoice].
///
/// @param device the device's name (`RDMA_DEVICE`), or null for the first that has an active port
/// @param require what the device must be (`RDMA_REQUIRE`)
/// @param port the port, from 1 (`RDMA_DEVICE_PORT`), or null for the first active one; only with a device
/// @param gidIndex the entry of the port's GID table (`RDMA_GID_INDEX`), or null to choose one
/// @param pkeyIndex the entry of the port's partition-key table (`RDMA_QP_PKEY_INDEX`)
/// @param queueDepth work requests in each send and receive queue (`RDMA_QP_QUEUE_DEPTH`), 1 or more
/// @param timeout the time until a packet is sent again, 4.096 us x 2^n (`RDMA_QP_TIMEOUT`), 0 to 31; 0 is for ever
/// @param retryCount times that a packet is sent again (`RDMA_QP_RETRY_COUNT`), 0 to 7
/// @param serviceLevel the service level (`RDMA_QP_SL`), 0 to 7
/// @param mtu payload bytes of a packet (`RDMA_QP_MTU`): 256, 512, 1024, 2048 or 4096, or null for the port's
///     active MTU
/// @param trafficClass the traffic class (`RDMA_TRAFFIC_CLASS`), 0 to 255
/// @param portGraceMillis how long channels outlive the end of their port (`RDMA_PORT_GRACE_MS`), 0 to 3,600,000, or
///     null for [#portGrace()]'s default
/// @param rkeyScope how much memory a peer's key opens (`RDMA_RKEY_SCOPE`)
/// @param fallback what carries receives where no channel can be had (`RDMA_FALLBACK`)
/// @param hugePages in what pages the slabs lie (`RDMA_HUGE_PAGES`)
/// @param numaNode on which node's memory the slabs lie (`RDMA_NUMA_NODE`)
/// @param softCarrier how the software device reaches its peers (`RDMA_SOFT_CARRIER`)
/// @param gpuDirect whether the device is to reach the memory of accelerators by itself (`RDMA_GPU_DIRECT`)
/// @param relaxedOrdering in what memory the bytes of messages may come in any order (`RDMA_RELAXED_ORDERING`)
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

    /// Reads the `RDMA_*` variables from a map. An empty value counts as not set, and spaces around a value do not
    /// count.
    ///
    /// @throws IllegalArgumentException naming the variable, its value and what is accepted
    public static RdmaConfig from(Map<String, String> variables) {
        return new RdmaVariables(variables).read();
    }

    /// How long channels are kept after their port went down, in case it comes back.
    ///
    /// Without a setting it is the longest time that a reliable connection needs to give up: by the InfiniBand standard
    /// a device may wait up to four times [#timeout()] for each of the attempts. By then each channel that had anything
    /// outstanding has ended by itself, so this only ends those that were idle.
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

    /// Warns in the log, once in the life of the process for each, of variables that begin with `RDMA_` and have no
    /// effect, with the name that each is most probably meant to be. [#from] does so too.
    public static void warnOfUnknown(Map<String, String> variables) {
        UnknownVariables.report(variables);
    }

    /// The same but for the scope of keys.
    public RdmaConfig withRkeyScope(RemoteKeyScope scope) {
        return with(require, scope, fallback, softCarrier, gpuDirect);
    }

    /// The same with another fallback.
    public RdmaConfig withFallback(Fallback changed) {
        return with(require, rkeyScope, changed, softCarrier, gpuDirect);
    }

    /// The same with another way of the software device.
    public RdmaConfig withSoftCarrier(SoftCarrier changed) {
        return with(require, rkeyScope, fallback, changed, gpuDirect);
    }

    /// The same with another use of accelerators' memory.
    public RdmaConfig withGpuDirect(GpuDirect changed) {
        return with(require, rkeyScope, fallback, softCarrier, changed);
    }

    /// The same for memory of this device: what depends on the device is settled.
    public RdmaConfig forMemoryOf(DeviceDescription description) {
        return with(require, rkeyScope, fallback, softCarrier, gpuDirect, hugePages.on(description));
    }

    /// The same with another requirement of the device.
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

    /// A builder with the defaults.
    public static Builder builder() {
        return new Builder();
    }

    /// Sets what differs from the defaults. Threading: one thread.
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
