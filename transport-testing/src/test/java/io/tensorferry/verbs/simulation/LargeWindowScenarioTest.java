package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.device.WorkStatus;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Receives that are larger than one memory window of the device, which refuses larger binds as mlx5 refuses those of
/// more than 2 GiB: each piece of such a receive has a window of its own.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LargeWindowScenarioTest {
    private static final int WINDOW = 10_000;
    private static final int[] SIZES = {WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW, 5 * WINDOW + 7, 40 * WINDOW};
    private static final int SEEDS = SeededRuns.ofScenario(96);

    private static Scenario scenario(long seed) {
        return scenario(seed, SimulatedCluster.Options.defaults().variedBy(seed));
    }

    private static Scenario scenario(long seed, SimulatedCluster.Options options) {
        return new Scenario(
                seed,
                2,
                0,
                options.withRkeyScope(RemoteKeyScope.REQUEST),
                SimulatedFabricOptions.defaults().withMaxWindowBytes(WINDOW));
    }

    @Test
    void contentsOfAllSizesComeWithMetadataKnownAndNot() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                for (int step = 1; step <= 2; step++) {
                    for (int i = 0; i < SIZES.length; i++) {
                        scenario.exchange(1, 0, step, "edge" + i, SIZES[i], i + step);
                    }
                }
                assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
                scenario.end();
            }
        }
    }

    @Test
    void contentsWithAChecksumAreVerifiedAsAWhole() {
        for (long seed = 0; seed < SEEDS / 4; seed++) {
            try (var scenario = scenario(seed, SimulatedCluster.Options.validating())) {
                scenario.exchange(1, 0, 1, "large", 7 * WINDOW, 3);
                scenario.end();
            }
        }
    }

    @Test
    void aChannelThatIsLostOnTheWayHasTheContentAskedForAnew() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                scenario.exchange(1, 0, 1, "before", 100, 1);
                scenario.send(1, 0, 1, "large", 40 * WINDOW, 5);
                var large = scenario.receive(1, 0, 1, "large");
                scenario.runFor(seed * 3_000);
                scenario.fabric.failNextSend(SimulatedCluster.name((int) seed % 2), WorkStatus.RETRY_EXC_ERR);
                scenario.await(large::hasEnded, "the content comes over another channel");
                // Lost behind the sender's completion, it cannot be sent again.
                if (large.isFailure()) {
                    assertThat(large.code()).isEqualTo(StatusCode.UNAVAILABLE);
                } else {
                    scenario.assertContent(large, 40 * WINDOW, 5);
                }
                scenario.exchange(1, 0, 2, "after", 3 * WINDOW, 6);
                scenario.end();
            }
        }
    }

    @Test
    void aReceiveThatIsCancelledOnTheWayGivesItsMemoryBack() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed)) {
                scenario.exchange(1, 0, 1, "before", 100, 1);
                scenario.send(1, 0, 1, "large", 40 * WINDOW, 5);
                var large = scenario.receive(1, 0, 1, "large");
                scenario.runFor(seed * 3_000);
                boolean cancelled = large.cancel();
                scenario.await(large::hasEnded, "the receive ends");
                assertThat(large.isFailure()).isEqualTo(cancelled);
                large.close();
                scenario.exchange(1, 0, 2, "after", 3 * WINDOW, 6);
                scenario.end();
            }
        }
    }

    /// All places of an edge are named once, by one key. The producer has heard of no consumer, and waits for one.
    @Test
    void anEdgeWhosePlacesAreLargerThanAWindowEndsAtItsConsumerAndSaysWhy() {
        for (long seed = 0; seed < 8; seed++) {
            try (var scenario = scenario(seed)) {
                StaticEdge edge = SimulatedStaticEdge.of(1, 0, "edge", WINDOW + 1);
                StaticReceiver receiver = scenario.worker(0).edges.openReceiver(edge);
                StaticSender sender = scenario.worker(1).edges.openSender(edge);
                scenario.await(() -> receiver.ended().isDone(), "the consumer ends");
                assertThatExceptionOfType(TransportException.class)
                        .isThrownBy(receiver::take)
                        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
                        .withMessageContaining("that a memory window");
                scenario.exchange(1, 0, 1, "large", 3 * WINDOW, 3);
                assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
                sender.close();
                receiver.close();
                scenario.end();
            }
        }
    }

    /// A worker of an earlier version serves no pieces.
    @Test
    void withoutPiecesAtTheSenderALargeReceiveFailsAloneAndSaysWhy() {
        for (long seed = 0; seed < 8; seed++) {
            try (var scenario = scenario(
                    seed, SimulatedCluster.Options.defaults().variedBy(seed).withPiecesAtOnce(0))) {
                scenario.exchange(1, 0, 1, "fits", WINDOW, 1);
                scenario.send(1, 0, 1, "large", WINDOW + 1, 2);
                var large = scenario.receive(1, 0, 1, "large");
                scenario.await(large::hasEnded, "the refusal");
                assertThat(large.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
                assertThat(large.failure())
                        .hasMessageContaining("10001 bytes exceed the 10000 that a memory window")
                        .hasMessageContaining("RDMA_RKEY_SCOPE=slab");
                scenario.exchange(1, 0, 2, "fits", WINDOW, 3);
                assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
                scenario.end();
            }
        }
    }
}
