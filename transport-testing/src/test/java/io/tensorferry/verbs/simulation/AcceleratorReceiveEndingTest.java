package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.AcceleratorResults.assertContent;
import static io.tensorferry.verbs.simulation.AcceleratorResults.device;
import static io.tensorferry.verbs.simulation.AcceleratorResults.end;
import static io.tensorferry.verbs.simulation.AcceleratorResults.exchange;
import static io.tensorferry.verbs.simulation.AcceleratorResults.receive;
import static io.tensorferry.verbs.simulation.AcceleratorResults.scenario;
import static io.tensorferry.verbs.simulation.AcceleratorResults.send;
import static io.tensorferry.verbs.simulation.AcceleratorResults.statistics;
import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Delivery;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Receives into an accelerator that end before their tensor comes, or lose their channel: whatever the moment, no byte
/// of the accelerator or of its proxies is lost.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AcceleratorReceiveEndingTest {
    private static final int RECEIVES = 12;
    private static final int SIZE = 40_000;
    // Longer than the retries of a queue pair, shorter than the patience with a peer that has gone.
    private static final long CUT_NS = 1_200 * MILLISECOND_NS;
    // Within it all that happens to the receives of a round happens.
    private static final long ROUND_NS = MILLISECOND_NS;

    private static Scenario slowScenario(long seed) {
        var options = seed % 5 == 0 ? SimulatedCluster.Options.validating() : SimulatedCluster.Options.defaults();
        var network =
                SimulatedFabricOptions.defaults().withMaxMessageBytes(4096).withSpikes(0.1, 300_000);
        return scenario(seed, options, network);
    }

    /// Some are carried, some wait for proxies, half of them want the copy to be queued only.
    private static List<Scenario.Receive> begin(Scenario scenario) {
        var receives = new ArrayList<Scenario.Receive>();
        for (int i = 0; i < RECEIVES; i++) {
            var delivery = i % 2 == 0 ? Delivery.COMPLETE : Delivery.QUEUED;
            receives.add(receive(scenario, "edge" + i, ReceiveOptions.defaults().withDelivery(delivery)));
            send(scenario, "edge" + i, size(i), i);
        }
        return receives;
    }

    private static int size(int index) {
        return index % 3 == 0 ? 90 : SIZE;
    }

    private static int closeAll(Scenario scenario, List<Scenario.Receive> receives, StatusCode... codes) {
        return AcceleratorResults.closeAll(
                scenario, receives, (receive, i) -> assertContent(scenario, receive, size(i), i), codes);
    }

    @Test
    void receivesThatAreGivenUpAtAnyMomentLeaveNothing() {
        int came = 0;
        for (long seed = 0; seed < 300; seed++) {
            try (var scenario = slowScenario(seed)) {
                exchange(scenario, "before", 10, 1);
                var random = new Random(seed);
                var receives = begin(scenario);
                for (var receive : receives) {
                    scenario.fabric.schedule(random.nextLong(ROUND_NS), receive::cancel);
                }
                scenario.awaitAll();
                came += closeAll(scenario, receives, StatusCode.CANCELLED);
                exchange(scenario, "after", SIZE, 2);
                end(scenario);
            }
        }
        assertThat(came).as("that came before").isBetween(300, 300 * RECEIVES - 300);
    }

    /// At each of its moments: a microsecond later each time.
    @Test
    void aReceiveThatIsGivenUpLeavesNothing() {
        int came = 0;
        for (int moment = 0; moment < 400; moment++) {
            try (var scenario = scenario(moment % 4)) {
                exchange(scenario, "before", 10, 1);
                send(scenario, "edge", SIZE, 2);
                var receive = receive(scenario, "edge");
                scenario.runFor(moment * 1_000L);
                receive.cancel();
                scenario.await(receive::hasEnded, "the receive ends");
                if (!receive.isFailure()) {
                    came++;
                    assertContent(scenario, receive, SIZE, 2);
                }
                exchange(scenario, "after", SIZE, 3);
                end(scenario);
            }
        }
        assertThat(came).as("that came before").isBetween(10, 390);
    }

    @Test
    void whoIsGivenUpWhileItWaitsForAProxyWaitsNoMore() {
        try (var scenario = scenario(1)) {
            device(scenario).hold();
            for (int i = 0; i < 2; i++) {
                send(scenario, "edge" + i, AcceleratorResults.SHARE, i);
            }
            var first = receive(scenario, "edge0");
            scenario.runFor(5 * MILLISECOND_NS);
            var second = receive(scenario, "edge1");
            scenario.runFor(5 * MILLISECOND_NS);
            assertThat(statistics(scenario).deviceBytesInUse()).isEqualTo(2L * AcceleratorResults.SHARE);
            assertThat(second.cancel()).isTrue();
            scenario.runFor(5 * MILLISECOND_NS);
            assertThat(statistics(scenario).deviceBytesInUse()).isEqualTo(AcceleratorResults.SHARE);
            assertThat(statistics(scenario).receiveProxyBytes()).isEqualTo(AcceleratorResults.SHARE);

            device(scenario).release();
            scenario.awaitAll();
            assertContent(scenario, first, AcceleratorResults.SHARE, 0);
            end(scenario);
        }
    }

    @Test
    void deadlinesMayPassAtAnyMoment() {
        for (long seed = 0; seed < 100; seed++) {
            try (var scenario = slowScenario(seed)) {
                exchange(scenario, "before", 10, 1);
                var random = new Random(seed);
                var receives = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < RECEIVES; i++) {
                    var timeout = Duration.ofNanos(random.nextLong(ROUND_NS));
                    receives.add(receive(
                            scenario, "edge" + i, ReceiveOptions.defaults().withTimeout(timeout)));
                    send(scenario, "edge" + i, size(i), i);
                }
                scenario.awaitAll();
                closeAll(scenario, receives, StatusCode.DEADLINE_EXCEEDED);
                end(scenario);
            }
        }
    }

    @Test
    void aStepMayEndAtAnyMomentOnEitherSide() {
        for (long seed = 0; seed < 100; seed++) {
            try (var scenario = slowScenario(seed)) {
                var receives = begin(scenario);
                scenario.runFor(new Random(seed).nextLong(15 * MILLISECOND_NS));
                var rendezvous = scenario.worker((int) (seed % 2)).manager.rendezvous(1);
                rendezvous.startAbort(StatusCode.DATA_LOSS, "the user's reason");
                scenario.awaitAll();
                closeAll(scenario, receives, StatusCode.DATA_LOSS);
                end(scenario);
            }
        }
    }

    @Test
    void anAbortWhileTheLastCopyRunsEndsTheReceiveAtOnceAndFreesItsMemoryLater() {
        try (var scenario = scenario(1)) {
            device(scenario).hold();
            send(scenario, "edge", SIZE, 2);
            var receive = receive(scenario, "edge");
            scenario.await(() -> scenario.worker(0).accelerators.isBusy(), "the last copy");
            scenario.worker(0).manager.rendezvous(1).startAbort(StatusCode.DATA_LOSS, "the user's reason");
            scenario.runFor(MILLISECOND_NS);
            assertThat(receive.code()).isEqualTo(StatusCode.DATA_LOSS);
            assertThat(statistics(scenario).deviceBytesInUse()).isGreaterThanOrEqualTo(SIZE);
            assertThat(statistics(scenario).receiveProxyBytes()).isEqualTo(SIZE);
            device(scenario).release();
            end(scenario);
        }
    }

    @Test
    void aChannelThatIsLostCostsNoReceive() {
        long lost = 0;
        for (long seed = 0; seed < 200; seed++) {
            try (var scenario = slowScenario(seed)) {
                exchange(scenario, "before", 10, 1);
                var receives = begin(scenario);
                scenario.runFor(new Random(seed).nextLong(ROUND_NS / 2));
                scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), CUT_NS);
                scenario.awaitAll();
                assertThat(closeAll(scenario, receives)).isEqualTo(RECEIVES);
                lost += scenario.worker(0).adapter.counters().failed();
                end(scenario);
            }
        }
        assertThat(lost).as("channels that were lost").isGreaterThan(100);
    }

    /// What is scarce is not kept for a channel that may never come.
    @Test
    void whileThereIsNoChannelNoProxyIsHeld() {
        int held = 0;
        for (long seed = 0; seed < 100; seed++) {
            try (var scenario = slowScenario(seed)) {
                exchange(scenario, "before", 10, 1);
                var receives = begin(scenario);
                scenario.runFor(new Random(seed).nextLong(ROUND_NS));
                scenario.cluster.cut(scenario.worker(0), scenario.worker(1), CUT_NS);
                scenario.cluster.failCalls(1);
                scenario.runFor(50 * MILLISECOND_NS);
                held += statistics(scenario).receiveProxyBytes() > 0 ? 1 : 0;
                scenario.runFor(1_500 * MILLISECOND_NS);
                assertThat(statistics(scenario).receiveProxyBytes()).isZero();
                scenario.cluster.failCalls(0);
                scenario.awaitAll();
                assertThat(closeAll(scenario, receives)).isEqualTo(RECEIVES);
                end(scenario);
            }
        }
        assertThat(held)
                .as("rounds in which proxies were held when the network was cut")
                .isGreaterThan(10);
    }

    @Test
    void aPeerThatIsKilledOrRestartedLeavesNothingHere() {
        for (long seed = 0; seed < 150; seed++) {
            try (var scenario = slowScenario(seed)) {
                exchange(scenario, "before", 10, 1);
                var receives = begin(scenario);
                scenario.runFor(new Random(seed).nextLong(ROUND_NS));
                boolean restarted = seed % 2 == 0;
                if (restarted) {
                    scenario.cluster.restart(scenario.worker(1));
                } else {
                    scenario.cluster.kill(scenario.worker(1));
                }
                scenario.runFor(10 * SECOND_NS);
                if (restarted) {
                    scenario.worker(0).manager.closeStep(1);
                }
                scenario.awaitAll();
                closeAll(scenario, receives, StatusCode.UNAVAILABLE, StatusCode.ABORTED);
                end(scenario);
            }
        }
    }

    /// The consumer is gone: nothing of it is to be looked at but that the producer goes on.
    @Test
    void aConsumerMayDieAtAnyMoment() {
        for (long seed = 0; seed < 50; seed++) {
            try (var scenario = slowScenario(seed)) {
                exchange(scenario, "before", 10, 1);
                begin(scenario);
                scenario.runFor(new Random(seed).nextLong(ROUND_NS));
                scenario.cluster.restart(scenario.worker(0));
                scenario.worker(1).manager.closeStep(1);
                scenario.runFor(10 * SECOND_NS);
                scenario.cluster.living().forEach(worker -> worker.manager.closeStep(1));
                send(scenario, "after", SIZE, 3);
                var after = receive(scenario, "after");
                scenario.await(after::hasEnded, "the next life");
                assertContent(scenario, after, SIZE, 3);
                end(scenario);
            }
        }
    }

    /// The worker is closed with everything under way.
    @Test
    void theTransportMayStopAtAnyMoment() {
        for (long seed = 0; seed < 100; seed++) {
            try (var scenario = slowScenario(seed)) {
                exchange(scenario, "before", 10, 1);
                var receives = begin(scenario);
                scenario.runFor(new Random(seed).nextLong(ROUND_NS));
                scenario.cluster.close();
                scenario.runFor(10 * MILLISECOND_NS);
                for (var receive : receives) {
                    assertThat(receive.results).hasSize(1);
                    if (receive.result() instanceof RecvResult.Received) {
                        receive.close();
                    }
                }
                for (var worker : scenario.cluster.living()) {
                    // Where memory was being allocated the end is told to a loop that is no more: nobody waits for
                    // workers here.
                    assertThat(device(worker).leftOver()).as("seed %d", seed).isIn("", "1048576 bytes");
                    assertThat(device(worker).mistakes()).isEmpty();
                }
                scenario.log.assertNoErrors();
            }
        }
    }

    /// It brings tensors to host memory, from which they are copied.
    @Test
    void whereThereIsOnlyTheFallbackResultsComeToTheAcceleratorToo() {
        var options = SimulatedCluster.Options.defaults().withFallback().withGpu(SimulatedCluster.Gpu.small());
        try (var scenario = new Scenario(1, 2, 0, options, Scenario.network())) {
            exchange(scenario, "before", 10, 1);
            var receives = begin(scenario);
            scenario.runFor(100_000);
            scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), 20 * SECOND_NS);
            scenario.cluster.failCalls(1);
            scenario.awaitAll();
            assertThat(closeAll(scenario, receives)).isEqualTo(RECEIVES);
            exchange(scenario, "during", 40_000, 1);
            assertThat(scenario.worker(0).manager.statistics().fallbackReceives())
                    .isPositive();
            scenario.exchange(1, 0, 1, "host", 5000, 2);
            end(scenario);
        }
    }
}
