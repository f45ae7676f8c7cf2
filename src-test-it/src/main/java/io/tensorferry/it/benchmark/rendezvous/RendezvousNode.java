package io.tensorferry.it.benchmark.rendezvous;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.TransportServerBuilder;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.it.benchmark.exchange.Content;
import io.tensorferry.it.benchmark.gpu.DeviceBytes;
import io.tensorferry.it.benchmark.gpu.TensorDevice;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The common parts of both ends: a cluster of two workers, and the keys that they use.
///
/// Each run is a step. The consumer sends an order, and the producer answers when all is ready. The tensors of a run
/// have one name and share the same memory.
public final class RendezvousNode {
    public static final DeviceName PRODUCER = new DeviceName("producer", 0, 0, "CPU", 0);
    public static final DeviceName CONSUMER = new DeviceName("consumer", 0, 0, "CPU", 0);
    public static final RendezvousKey ORDER = RendezvousKey.of(CONSUMER, PRODUCER, "order");
    public static final RendezvousKey READY = RendezvousKey.of(PRODUCER, CONSUMER, "ready");
    static final RendezvousKey RELEASE = RendezvousKey.of(CONSUMER, PRODUCER, "release");
    static final RendezvousKey TENSOR = RendezvousKey.of(PRODUCER, CONSUMER, "tensor");

    private static final Duration FOR_EVER = Duration.ofDays(365);

    private RendezvousNode() {}

    /// @param variant the configuration of the server; without accelerators
    /// @param knobs the settings of its channels and accelerators
    /// @param ports the ports of the producer and of the consumer
    public static TransportServer start(Variant variant, Knobs knobs, List<Integer> ports, DeviceName self) {
        return start(variant, knobs, ports, self, List.of());
    }

    /// @param accelerators the accelerators of the server; the caller owns them
    static TransportServer start(
            Variant variant, Knobs knobs, List<Integer> ports, DeviceName self, List<Accelerator> accelerators) {
        var cluster = ClusterSpec.of(Map.of(
                PRODUCER.job(),
                List.of("localhost:" + ports.get(0)),
                CONSUMER.job(),
                List.of("localhost:" + ports.get(1))));
        RdmaConfig config = RdmaConfig.fromEnvironment();
        TransportServerBuilder builder = TransportServer.builder()
                .cluster(cluster)
                .accelerators(accelerators)
                .acceleratorOptions(knobs.applyTo(AcceleratorOptions.defaults()))
                .job(self.job())
                .task(self.task())
                .protocol(variant == Variant.GRPC ? ServerConfig.GRPC : ServerConfig.GRPC_VERBS)
                .channelOptions(knobs.applyTo(channelOptions(variant)))
                .rdmaConfig(variant == Variant.WINDOWS ? config.withRkeyScope(RemoteKeyScope.REQUEST) : config);
        if (variant == Variant.BUSY) {
            builder.callbacksOnLoop();
        }
        if (variant == Variant.TCP) {
            var options = SoftwareOptions.defaults().withCarrier(SoftCarrier.TCP);
            builder.verbsProviders(List.of(new SoftwareProvider(options)));
        }
        return builder.start();
    }

    /// The device of a variant's tensors; null for host memory. The caller closes it after the server.
    static @Nullable TensorDevice deviceOf(Variant variant) {
        return variant == Variant.GPU ? TensorDevice.open() : null;
    }

    static List<Accelerator> listOf(@Nullable TensorDevice device) {
        return device == null ? List.of() : List.of(device.accelerator());
    }

    /// Creates a tensor of this size with the content that a consumer checks. The caller owns it.
    public static Tensor tensor(TensorAllocator allocator, long bytes) {
        Tensor tensor = allocator.allocate(DataType.UINT8, Shape.of(bytes));
        if (tensor.device() instanceof Accelerator device) {
            new DeviceBytes(device, tensor.address(), bytes).fill();
        } else {
            Content.fill(tensor.segment());
        }
        return tensor;
    }

    private static ChannelOptions channelOptions(Variant variant) {
        ChannelOptions options = ChannelOptions.defaults();
        if (variant != Variant.BUSY) {
            return options;
        }
        // The process is suspended while others are measured, and must not consider its peer dead when it is resumed.
        return new ChannelOptions(
                options.lanes(),
                options.ringSlots(),
                options.slotBytes(),
                options.keepaliveInterval(),
                FOR_EVER,
                options.connectTimeout(),
                options.reconnectTimeout(),
                FOR_EVER);
    }
}
