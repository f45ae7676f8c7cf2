package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorStatistics;
import io.tensorferry.verbs.device.GpuDirect;
import io.tensorferry.verbs.device.RdmaConfig;
import io.tensorferry.verbs.device.software.simulated.AcceleratorTime;
import io.tensorferry.verbs.device.software.simulated.SimulatedAccelerator;
import io.tensorferry.verbs.device.software.simulated.SimulatedAcceleratorOptions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A server whose device is to reach the memory of its accelerators by itself; they are simulated.
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
        return cluster.builder(0)
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
                        .withMessageContaining("not all of an allocation");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> server.register(gpu(PLAIN), own.address(), 4))
                        .withMessageContaining("none of the server's");
            }
        }
        assertThat(gpu.leftOver()).isEmpty();
        assertThat(gpu.mistakes()).isEmpty();
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
            // Nothing of the server is left: its address is free.
            cluster.add(builder(cluster, GpuDirect.OFF, gpu).start());
        }
        assertThat(gpu.leftOver()).isEmpty();
    }
}
