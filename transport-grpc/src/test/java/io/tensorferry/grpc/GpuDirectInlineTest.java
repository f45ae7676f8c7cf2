package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.GpuDirect;
import io.tensorferry.verbs.config.RdmaConfig;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The processor copies inline data into a send request; it must not do so from an accelerator. The receiver has memory
/// that is written directly, or asks for pieces, of which the last is small.
@Timeout(60)
class GpuDirectInlineTest {
    private static final int PIECE = 4096;
    // Small as a whole, and with a small last piece.
    private static final int[] SIZES = {100, 3 * PIECE + 100};
    // Of a simulated accelerator; no host memory is there.
    private static final long DEVICE_MEMORY = 1L << 60;

    private final AcceleratorTime time = AcceleratorTime.real();

    @AfterEach
    void close() {
        time.close();
    }

    private static TransportServerBuilder builder(TestCluster cluster, int task, SimulatedAccelerator gpu) {
        return cluster.builder(task)
                .protocol(ServerConfig.GRPC_VERBS)
                .rdmaConfig(RdmaConfig.builder()
                        .device("soft0")
                        .gpuDirect(GpuDirect.AUTO)
                        .build())
                .accelerators(List.of(gpu))
                .acceleratorOptions(AcceleratorOptions.defaults().withPieces(PIECE, 4));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingOfAnAcceleratorGoesInline(boolean inPieces) throws Exception {
        SimulatedAcceleratorOptions plain = SimulatedAcceleratorOptions.defaults();
        SimulatedAcceleratorOptions exported = plain.withExport(NicWrites.VISIBLE);
        var from = new SimulatedAccelerator(2, time, 1, exported);
        var to = new SimulatedAccelerator(2, time, 2, inPieces ? plain : exported);
        var device = new InliningProvider();
        try (var cluster = new TestCluster(2)) {
            TransportServer producer = cluster.add(
                    builder(cluster, 0, from).verbsProviders(List.of(device)).start());
            TransportServer consumer = cluster.add(builder(cluster, 1, to).start());
            for (int size : SIZES) {
                var content = new byte[size];
                new Random(size).nextBytes(content);
                Tensor sent = producer.allocator(from).allocate(DataType.UINT8, Shape.of(size));
                from.poke(sent.address(), content);
                var key = RendezvousKey.of(producer.deviceName(from), consumer.deviceName(to), "edge " + size);
                producer.rendezvous(1).send(key, sent);
                try (Tensor received =
                        consumer.rendezvous(1).recv(key, Duration.ofSeconds(30)).tensorOrThrow()) {
                    assertThat(to.peek(received.address(), size)).isEqualTo(content);
                }
            }
            assertThat(producer.statistics().accelerators().getFirst().directTensors())
                    .isEqualTo(SIZES.length);
            assertThat(device.inlined).as("messages").isNotEmpty().allMatch(address -> address < DEVICE_MEMORY);
        }
        for (SimulatedAccelerator each : List.of(from, to)) {
            assertThat(each.leftOver()).isEmpty();
            assertThat(each.mistakes()).isEmpty();
        }
    }
}
