package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.verbs.config.AcceleratorOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Two workers that receive from each other's accelerators all at once, with the fewest proxies that there may be:
/// neither has ever to wait for the other's proxies, and every tensor comes.
@Timeout(120)
class ProxyStarvationTest {
    private static final int TENSORS = 1000;
    private static final int PIECE = 16_384;
    private static final long SPREAD_NS = 20 * Scenario.MILLISECOND_NS;

    private record Transfer(int producer, int number, Scenario.Receive receive) {}

    /// None is produced in the order in which it is asked for.
    @ParameterizedTest
    @CsvSource({"0, true", "4, true", "11, false", "23, true"})
    void nobodyStarvesWithTheFewestProxies(long seed, boolean inPieces) {
        var fewest = AcceleratorOptions.defaults().withPieces(PIECE, 4).withProxyBytes(4 * PIECE);
        var options = SimulatedCluster.Options.defaults()
                .variedBy(seed)
                .withPiecesAtOnce(inPieces ? 16 : 0)
                .withGpu(new SimulatedCluster.Gpu(fewest, SimulatedAcceleratorOptions.defaults()));
        try (var gpus = new GpuScenario(seed, 2, options)) {
            var transfers = new ArrayList<Transfer>();
            var orders = List.of(new ArrayList<Integer>(), new ArrayList<Integer>());
            for (int i = 0; i < TENSORS; i++) {
                for (int producer = 0; producer < 2; producer++) {
                    var receive = gpus.scenario.receive(1 - producer, key(producer, i), 1, ReceiveOptions.defaults());
                    transfers.add(new Transfer(producer, i, receive));
                    orders.get(producer).add(i);
                }
            }
            var random = new Random(seed);
            for (int producer = 0; producer < 2; producer++) {
                var order = orders.get(producer);
                Collections.shuffle(order, random);
                int from = producer;
                for (int number : order) {
                    gpus.scenario.fabric.schedule(random.nextLong(SPREAD_NS), () -> produce(gpus, from, number));
                }
            }
            gpus.scenario.awaitAll();
            for (Transfer transfer : transfers) {
                try (Tensor tensor = transfer.receive.tensor()) {
                    assertThat(gpus.gpu(1 - transfer.producer).peek(tensor.address(), size(transfer.number)))
                            .isEqualTo(content(transfer.producer, transfer.number));
                }
            }
            for (int worker = 0; worker < 2; worker++) {
                assertThat(gpus.statistics(worker).proxyWaits()).isGreaterThan(TENSORS / 2);
                assertThat(gpus.statistics(worker).highWaterProxyBytes()).isLessThanOrEqualTo(4L * PIECE);
            }
            gpus.scenario.closeSteps();
            gpus.end();
        }
    }

    private static RendezvousKey key(int producer, int number) {
        return RendezvousKey.of(
                DeviceName.parse(SimulatedCluster.name(producer) + "/device:GPU:0"),
                DeviceName.parse(SimulatedCluster.name(1 - producer) + "/device:GPU:0"),
                "edge" + number);
    }

    private static int size(int number) {
        // One of two pieces takes all that there are, where it comes as a whole.
        return number % 10 == 0 ? 2 * PIECE : 5000 + number % 7 * 1500;
    }

    private static byte[] content(int producer, int number) {
        return GpuScenario.content(size(number), 2L * number + producer);
    }

    private static void produce(GpuScenario gpus, int producer, int number) {
        byte[] content = content(producer, number);
        // Of the pool: a result's memory comes of it too.
        Tensor tensor = Objects.requireNonNull(
                        gpus.scenario.worker(producer).accelerators.of(gpus.gpu(producer)))
                .allocator()
                .allocate(DataType.UINT8, Shape.of(content.length));
        gpus.gpu(producer).poke(tensor.address(), content);
        gpus.scenario.worker(producer).manager.rendezvous(1).send(key(producer, number), tensor);
    }
}
