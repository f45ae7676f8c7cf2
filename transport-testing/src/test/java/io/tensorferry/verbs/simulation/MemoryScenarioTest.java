package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What happens when registered memory runs out, at the receiver and at the sender.
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class MemoryScenarioTest {
    private static final int LIMIT = 1 << 20;

    private static Scenario withLimit(long seed) {
        return new Scenario(
                seed, 2, 0, SimulatedCluster.Options.defaults().withLimit(LIMIT), SimulatedFabricOptions.defaults());
    }

    /// Takes pieces until nothing is left.
    private static List<Tensor> exhaust(SimulatedCluster.Worker worker, int size) {
        var taken = new ArrayList<Tensor>();
        while (worker.adapter.memory().statistics().bytesInUse() + size <= LIMIT) {
            taken.add(Scenario.bytes(worker, size, 0));
        }
        return taken;
    }

    @Test
    void aReceiveThatFindsNoMemoryIsExhaustedAndLaterOnesArrive() {
        try (var scenario = withLimit(1)) {
            scenario.exchange(1, 0, 1, "first", 100, 1);
            List<Tensor> taken = exhaust(scenario.worker(0), 10_000);
            for (int i = 0; i < 5; i++) {
                scenario.send(1, 0, 1, "large", 100_000, 2);
                var receive = scenario.receive(1, 0, 1, "large");
                scenario.await(receive::hasEnded, "the receive fails");
                assertThat(receive.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
                assertThat(receive.failure()).hasMessageContaining("the limit is " + LIMIT);
            }
            scenario.await(scenario::isQuiet, "the sender lets go");
            taken.forEach(Tensor::close);
            scenario.exchange(1, 0, 1, "large", 100_000, 3);
            assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
            scenario.end();
        }
    }

    @Test
    void largeMetaDataOfLastTimeDoNotFailASmallTensor() {
        try (var scenario = withLimit(2)) {
            scenario.exchange(1, 0, 1, "edge", 500_000, 1);
            List<Tensor> taken = exhaust(scenario.worker(0), 10_000);
            taken.removeLast().close();
            for (int i = 0; i < 3; i++) {
                scenario.exchange(1, 0, 1, "edge", 100, 2 + i);
            }
            taken.forEach(Tensor::close);
            scenario.end();
        }
    }

    @Test
    void aCopyThatFindsNoMemoryAtTheSenderFailsTheReceive() {
        try (var scenario = withLimit(3)) {
            scenario.exchange(1, 0, 1, "first", 100, 1);
            List<Tensor> taken = exhaust(scenario.worker(1), 10_000);
            scenario.send(
                    1, 0, 1, "copied", TensorAllocator.unregistered().allocate(DataType.UINT8, Shape.of(100_000)));
            var receive = scenario.receive(1, 0, 1, "copied");
            scenario.await(receive::hasEnded, "the receive fails");
            assertThat(receive.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
            assertThat(receive.failure().peer()).isEqualTo(SimulatedCluster.name(1));
            taken.forEach(Tensor::close);
            scenario.exchange(1, 0, 1, "copied", 100_000, 2);
            scenario.end();
        }
    }

    @Test
    void aChannelThatFindsNoMemoryForItsRingIsExhaustedAndMadeLater() {
        try (var scenario = withLimit(4)) {
            List<Tensor> taken = exhaust(scenario.worker(0), 10_000);
            var receive = scenario.receive(1, 0, 1, "edge");
            scenario.await(receive::hasEnded, "the receive fails");
            assertThat(receive.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
            taken.forEach(Tensor::close);
            scenario.exchange(1, 0, 1, "edge", 100, 1);
            scenario.end();
        }
    }
}
