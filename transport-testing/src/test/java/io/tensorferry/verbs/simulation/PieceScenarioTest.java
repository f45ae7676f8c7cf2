package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.PieceStage.PIECE;
import static io.tensorferry.verbs.simulation.PieceStage.end;
import static io.tensorferry.verbs.simulation.PieceStage.exchange;
import static io.tensorferry.verbs.simulation.PieceStage.scenario;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Delivery;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.StatusCode;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Contents for an accelerator that are larger than a piece: asked for piece by piece, of senders on the host and on an
/// accelerator.
@Timeout(120)
class PieceScenarioTest {
    private static final int[] SIZES = {PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 5 * PIECE + 7, 40_000, 600_000};

    @Test
    void contentsOfAllSizesCome() {
        for (long seed = 0; seed < 96; seed++) {
            try (var gpus = scenario(seed)) {
                for (int i = 0; i < SIZES.length; i++) {
                    exchange(gpus, "edge" + i, SIZES[i], i, (seed + i) % 2 == 0);
                }
                end(gpus);
            }
        }
    }

    /// A tensor that is larger than all proxies together.
    @Test
    void noMoreProxiesAreHeldThanPiecesAtOnce() {
        for (long seed = 0; seed < 24; seed++) {
            try (var gpus = new GpuScenario(
                    seed,
                    2,
                    PieceStage.options(seed)
                            .withGpu(SimulatedCluster.Gpu.small())
                            .withPiecesAtOnce(255))) {
                exchange(gpus, "large", 40 * PIECE, 1, seed % 2 == 0);
                assertThat(gpus.statistics(0).highWaterProxyBytes()).isBetween(2L * PIECE, 4L * PIECE);
                end(gpus);
            }
        }
    }

    @Test
    void aReceiveThatIsContentWithAQueuedCopyEndsBeforeIt() {
        for (long seed = 0; seed < 48; seed++) {
            try (var gpus = new GpuScenario(
                    seed,
                    2,
                    PieceStage.options(seed)
                            .withGpu(SimulatedCluster.Gpu.small())
                            .withPiecesAtOnce(255))) {
                exchange(gpus, "before", 10, 1, false);
                gpus.gpu(0).hold();
                PieceStage.send(gpus, "queued", 4 * PIECE, 2, seed % 2 == 0);
                var early = PieceStage.receive(gpus, "queued", Delivery.QUEUED);
                gpus.scenario.await(early::hasEnded, "the last copy is queued");
                DeviceEvent ready = Objects.requireNonNull(early.tensor().readyEvent());
                assertThat(ready.isReached()).isFalse();
                gpus.gpu(0).release();
                gpus.scenario.await(ready::isReached, "the copies");
                PieceStage.assertContent(gpus, early, 4 * PIECE, 2);
                end(gpus);
            }
        }
    }

    /// A peer that serves no pieces writes contents as a whole, up to all proxies.
    @Test
    void aPeerThatServesNoPiecesIsAskedForNone() {
        for (long seed = 0; seed < 24; seed++) {
            var gpu = SimulatedCluster.Gpu.small();
            try (var gpus = new GpuScenario(
                    seed, 2, PieceStage.options(seed).withGpu(gpu).withPiecesAtOnce(0))) {
                exchange(gpus, "share", AcceleratorResults.SHARE, 1, seed % 2 == 0);
                PieceStage.send(gpus, "larger", AcceleratorResults.SHARE + 1, 2, seed % 2 == 0);
                var larger = PieceStage.receive(gpus, "larger", Delivery.COMPLETE);
                gpus.scenario.await(larger::hasEnded, "the refusal");
                assertThat(larger.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
                end(gpus);
            }
        }
    }
}
