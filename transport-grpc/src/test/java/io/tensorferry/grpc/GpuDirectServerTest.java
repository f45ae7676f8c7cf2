package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.verbs.config.GpuDirect;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A server whose device accesses the memory of its simulated accelerators directly.
@Timeout(60)
class GpuDirectServerTest {
    private static final SimulatedAcceleratorOptions PLAIN = SimulatedAcceleratorOptions.defaults();

    private final AcceleratorTime time = AcceleratorTime.real();

    @AfterEach
    void close() {
        time.close();
    }

    private SimulatedAccelerator gpu(SimulatedAcceleratorOptions options) {
        return new SimulatedAccelerator(2, time, 1, options);
    }

    private static TransportServerBuilder builder(TestCluster cluster, GpuDirect direct, SimulatedAccelerator gpu) {
        return builder(cluster, 0, direct, gpu);
    }

    private static TransportServerBuilder builder(
            TestCluster cluster, int task, GpuDirect direct, SimulatedAccelerator gpu) {
        return cluster.builder(task)
                .protocol(ServerConfig.GRPC_VERBS)
                .rdmaConfig(
                        RdmaConfig.builder().device("soft0").gpuDirect(direct).build())
                .accelerators(List.of(gpu));
    }

    @Test
    void memoryOfAnAcceleratorIsRegistered() throws Exception {
        SimulatedAccelerator gpu = gpu(PLAIN.withExport(NicWrites.VISIBLE));
        try (var cluster = new TestCluster(1)) {
            TransportServer server =
                    cluster.add(builder(cluster, GpuDirect.ON, gpu).start());
            assertThat(server.statistics().accelerators())
                    .extracting(AcceleratorStatistics::direct)
                    .containsExactly("by dmabuf");
            try (Tensor pooled = server.allocator(gpu).allocate(DataType.UINT8, Shape.of(100));
                    DeviceMemory own = gpu.allocate(8192);
                    MemoryRegistration _ = server.register(gpu, own.address() + 4, 8000)) {
                assertThat(pooled.device()).isSameAs(gpu);
                assertThat(gpu.leftOver()).as("nothing stays exported").doesNotContain("export");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> server.register(gpu, own.address() + 4, 8192))
                        .withMessageContaining("not within an allocation");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> server.register(gpu(PLAIN), own.address(), 4))
                        .withMessageContaining("not one of the server's accelerators");
            }
        }
        assertThat(gpu.leftOver()).isEmpty();
        assertThat(gpu.mistakes()).isEmpty();
    }

    @Test
    void tensorsGoThereAndFromThereWithoutACopyUnlessThatIsOff() throws Exception {
        var content = new byte[70_001];
        new Random(1).nextBytes(content);
        for (GpuDirect direct : GpuDirect.values()) {
            SimulatedAccelerator from = gpu(PLAIN.withExport(NicWrites.VISIBLE));
            SimulatedAccelerator to = gpu(PLAIN.withExport(NicWrites.AFTER_FLUSH));
            try (var cluster = new TestCluster(2)) {
                TransportServer producer =
                        cluster.add(builder(cluster, 0, direct, from).start());
                TransportServer consumer =
                        cluster.add(builder(cluster, 1, direct, to).start());
                var key = RendezvousKey.of(producer.deviceName(from), consumer.deviceName(to), "edge");
                Tensor sent = producer.allocator(from).allocate(DataType.UINT8, Shape.of(content.length));
                from.poke(sent.address(), content);
                producer.rendezvous(1).send(key, sent);
                try (Tensor received =
                        consumer.rendezvous(1).recv(key, Duration.ofSeconds(30)).tensorOrThrow()) {
                    assertThat(received.device()).isSameAs(to);
                    assertThat(to.peek(received.address(), content.length)).isEqualTo(content);
                }
                boolean off = direct == GpuDirect.OFF;
                for (TransportServer server : List.of(producer, consumer)) {
                    AcceleratorStatistics now =
                            server.statistics().accelerators().getFirst();
                    assertThat(now.directTensors()).as("%s", direct).isEqualTo(off ? 0 : 1);
                    assertThat(now.stagedTensors()).as("%s", direct).isEqualTo(off ? 1 : 0);
                }
            }
            for (SimulatedAccelerator each : List.of(from, to)) {
                assertThat(each.leftOver()).isEmpty();
                assertThat(each.mistakes()).isEmpty();
            }
        }
    }

    /// A peer writes directly to this memory, as to memory of the transport.
    @Test
    void memoryOfTheUsersThatIsRegisteredTakesResultsWithoutACopy() throws Exception {
        SimulatedAccelerator from = gpu(PLAIN.withExport(NicWrites.VISIBLE));
        SimulatedAccelerator to = gpu(PLAIN.withExport(NicWrites.VISIBLE));
        try (var cluster = new TestCluster(2)) {
            TransportServer producer =
                    cluster.add(builder(cluster, 0, GpuDirect.ON, from).start());
            TransportServer consumer =
                    cluster.add(builder(cluster, 1, GpuDirect.ON, to).start());
            try (DeviceMemory source = from.allocate(8192);
                    DeviceMemory target = to.allocate(8192);
                    MemoryRegistration _ = producer.register(from, source.address(), 8192);
                    MemoryRegistration _ = consumer.register(to, target.address(), 8192)) {
                var content = new byte[8000];
                new Random(2).nextBytes(content);
                from.poke(source.address(), content);
                var key = RendezvousKey.of(producer.deviceName(from), consumer.deviceName(0), "edge");
                for (int step = 1; step <= 2; step++) {
                    to.poke(target.address(), new byte[8192]);
                    producer.rendezvous(step)
                            .send(
                                    key,
                                    Tensor.onDevice(DataType.UINT8, Shape.of(8000), from, source.address(), () -> {}));
                    var options = ReceiveOptions.defaults().into(inMemory(target));
                    try (Tensor received = consumer.rendezvous(step)
                            .recvAsync(key, options)
                            .get(30, TimeUnit.SECONDS)
                            .tensorOrThrow()) {
                        assertThat(received.address()).isEqualTo(target.address());
                        assertThat(to.peek(target.address(), 8000)).isEqualTo(content);
                    }
                }
                for (TransportServer server : List.of(producer, consumer)) {
                    assertThat(server.statistics().accelerators())
                            .extracting(AcceleratorStatistics::directTensors)
                            .containsExactly(2L);
                }
            }
        }
        for (SimulatedAccelerator each : List.of(from, to)) {
            assertThat(each.leftOver()).isEmpty();
            assertThat(each.mistakes()).isEmpty();
        }
    }

    private static TensorAllocator inMemory(DeviceMemory memory) {
        return new TensorAllocator() {
            @Override
            public Device device() {
                return memory.device();
            }

            @Override
            public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
                return Tensor.onDevice(dataType, shape, memory.device(), memory.address(), () -> {});
            }
        };
    }

    @Test
    void whereItCannotBeARegistrationSaysWhy() throws Exception {
        SimulatedAccelerator gpu = gpu(PLAIN);
        try (var cluster = new TestCluster(1);
                DeviceMemory own = gpu.allocate(8192)) {
            TransportServer server =
                    cluster.add(builder(cluster, GpuDirect.AUTO, gpu).start());
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> server.register(gpu, own.address(), 8192))
                    .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
                    .withMessageContaining("GPU:2 exports no memory")
                    .withMessageContaining("EOPNOTSUPP");
        }
    }

    @Test
    void aServerThatIsToReachItAndDoesNotDoesNotStart() throws Exception {
        SimulatedAccelerator gpu = gpu(PLAIN);
        try (var cluster = new TestCluster(1)) {
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> builder(cluster, GpuDirect.ON, gpu).start())
                    .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
                    .withMessageContainingAll("RDMA_GPU_DIRECT is on", "soft0", "GPU:2", "exports no memory");
            assertThat(gpu.leftOver()).isEmpty();
            // The server has released everything: its address is free.
            cluster.add(builder(cluster, GpuDirect.OFF, gpu).start());
        }
        assertThat(gpu.leftOver()).isEmpty();
    }
}
