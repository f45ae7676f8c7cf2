package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.channel.setup.ChannelCounters;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.link.EndpointAcceptor;
import io.tensorferry.verbs.link.OfferAnswer;
import io.tensorferry.verbs.statistics.ChannelDescription;
import io.tensorferry.verbs.statistics.PeerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Peers that are absent, late, silent, restarted, or whose device breaks.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ConnectionScenarioTest {
    private static final long CONNECT_TIMEOUT_NS = 5 * SECOND_NS;
    private static final int SEEDS = 20;

    private static Scenario withAbsentPeer(long seed) {
        return new Scenario(seed, 1, 1, SimulatedCluster.Options.defaults(), SimulatedFabricOptions.defaults());
    }

    @Test
    void aPeerThatCannotBeReachedIsUnavailableAfterTheTimeoutAndNeverCountsAsConnected() {
        try (var scenario = withAbsentPeer(1)) {
            var receive = scenario.receive(1, 0, 1, "edge");
            var connected = scenario.worker(0).adapter.connect(SimulatedCluster.name(1));
            scenario.runFor(CONNECT_TIMEOUT_NS - 1);
            assertThat(receive.hasEnded()).isFalse();
            assertThat(connected).isNotDone();
            scenario.await(receive::hasEnded, "the receive fails");
            assertThat(scenario.fabric.now()).isLessThan(CONNECT_TIMEOUT_NS + 2 * SECOND_NS);
            assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(receive.failure().peer()).isEqualTo(SimulatedCluster.name(1));
            assertThat(connected).isCompletedExceptionally();
            assertThat(scenario.worker(0).adapter.counters().opened()).isZero();
            scenario.end();
        }
    }

    @Test
    void aPeerThatAlwaysYieldsAndNeverOffersIsUnavailableAfterTheTimeout() {
        try (var scenario = withAbsentPeer(2)) {
            scenario.cluster.play(SimulatedCluster.name(1), new EndpointAcceptor() {
                @Override
                public CompletableFuture<OfferAnswer> onOffer(ConnectionParameters offer) {
                    return CompletableFuture.completedFuture(new OfferAnswer.Yield());
                }

                @Override
                public CompletableFuture<Void> onReady(String peer, long incarnation, long connectionId) {
                    return CompletableFuture.completedFuture(null);
                }
            });
            var receive = scenario.receive(1, 0, 1, "edge");
            scenario.await(receive::hasEnded, "the receive fails");
            assertThat(scenario.fabric.now()).isBetween(CONNECT_TIMEOUT_NS, CONNECT_TIMEOUT_NS + 3 * SECOND_NS);
            assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
            scenario.end();
        }
    }

    /// It was there: it has answered the set-up, and nothing of it was heard on the channel yet.
    @Test
    void aPeerThatIsGoneBeforeItWasHeardIsNotWaitedForAsOneThatNeverWasThere() {
        var patient = new ChannelOptions(
                1,
                16,
                4096,
                Duration.ofMillis(100),
                Duration.ofSeconds(1),
                Duration.ofSeconds(30),
                Duration.ofSeconds(3),
                Duration.ZERO);
        var options = SimulatedCluster.Options.defaults().withChannel(patient);
        try (var scenario = new Scenario(5, 2, 0, options, Scenario.network())) {
            var connected = scenario.worker(0).adapter.connect(SimulatedCluster.name(1));
            scenario.await(connected::isDone, "the channel is open at the dialling end");
            scenario.cluster.kill(scenario.worker(1));
            var receive = scenario.receive(1, 0, 1, "edge");
            long since = scenario.fabric.now();
            scenario.await(receive::hasEnded, "the receive fails");
            assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(scenario.fabric.now() - since).isLessThan(8 * SECOND_NS);
            scenario.end();
        }
    }

    /// Whenever it dies after it has dialled: before it has the answer, before it has said that it is ready, before it
    /// was heard. Without `ready` this end may not write, so that no retries of its device tell it.
    @Test
    void aPeerThatDialsAndDiesIsUnavailableWithinTwoReconnectTimeouts() {
        var options = SimulatedCluster.Options.defaults().withChannel(ChannelOptions.defaults());
        long boundNs = 2 * ChannelOptions.defaults().reconnectTimeout().toNanos() + 10 * MILLISECOND_NS;
        for (int i = 0; i < 100; i++) {
            for (boolean waits : new boolean[] {true, false}) {
                try (var scenario = new Scenario(i, 2, 0, options, Scenario.network())) {
                    var _ = scenario.worker(1).adapter.connect(SimulatedCluster.name(0));
                    var receive = waits ? scenario.receive(1, 0, 1, "edge") : null;
                    scenario.await(() -> hasAnswered(scenario), "the offer has arrived");
                    scenario.runFor(i * MILLISECOND_NS / 20);
                    scenario.cluster.kill(scenario.worker(1));
                    long diedAt = scenario.fabric.now();
                    if (receive == null) {
                        scenario.runFor(MILLISECOND_NS);
                        receive = scenario.receive(1, 0, 1, "edge");
                    }
                    scenario.await(receive::hasEnded, "the receive fails");
                    assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
                    assertThat(scenario.fabric.now() - diedAt)
                            .as("seed %d, %s", i, receive.failure())
                            .isLessThan(boundNs);
                    scenario.end();
                }
            }
        }
    }

    /// It has dialled, so it has started, and is not waited for as one that has not.
    @Test
    void aPeerThatDialsAndIsGoneBeforeItAnswersIsWaitedForAsOneThatWasThere() {
        try (var scenario = withAbsentPeer(10)) {
            var offered = new AtomicInteger();
            scenario.cluster.play(SimulatedCluster.name(1), new EndpointAcceptor() {
                @Override
                public CompletableFuture<OfferAnswer> onOffer(ConnectionParameters offer) {
                    if (offered.getAndIncrement() == 0) {
                        // Both dial at once, and the worker with the smaller name waits for its answer.
                        var _ = scenario.worker(0).adapter.acceptor().onOffer(ofPeer(offer));
                    }
                    return CompletableFuture.failedFuture(new TransportException(StatusCode.UNAVAILABLE, "gone"));
                }

                @Override
                public CompletableFuture<Void> onReady(String peer, long incarnation, long connectionId) {
                    return CompletableFuture.completedFuture(null);
                }
            });
            var receive = scenario.receive(1, 0, 1, "edge");
            scenario.await(receive::hasEnded, "the receive fails");
            assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(offered).hasValueGreaterThan(1);
            assertThat(scenario.fabric.now()).isBetween(3 * SECOND_NS, 4 * SECOND_NS);
            scenario.end();
        }
    }

    private static ConnectionParameters ofPeer(ConnectionParameters offer) {
        return new ConnectionParameters(
                offer.protocolVersion(),
                SimulatedCluster.name(1),
                offer.incarnation() + 1,
                offer.connectionId() + 1,
                1,
                offer.queuePairs(),
                offer.ring(),
                offer.ringSlots(),
                offer.slotBytes(),
                offer.receiveDepth(),
                offer.mtu(),
                offer.maxMessageBytes(),
                offer.stripeBytes(),
                offer.readsAtOnce(),
                offer.piecesAtOnce(),
                offer.fabric());
    }

    /// Whether worker 0 has heard of worker 1.
    private static boolean hasAnswered(Scenario scenario) {
        return scenario.worker(0).adapter.channels().stream()
                .anyMatch(channel -> channel.peer().equals(SimulatedCluster.name(1)));
    }

    /// However many there were: what waits is what is live.
    @Test
    void receivesThatEndLeaveTheLineForTheChannelAtOnce() {
        try (var scenario = withAbsentPeer(6)) {
            ChannelCounters counters = scenario.worker(0).adapter.counters();
            var waiting = scenario.receive(1, 0, 1, "waits");
            for (int i = 0; i < 1_000; i++) {
                assertThat(scenario.receive(1, 0, 1, "cancelled").cancel()).isTrue();
                var _ = scenario.receive(1, 0, 1, "timed out", Duration.ofMillis(1));
                var _ = scenario.receive(1, 0, 2, "of a closed step");
            }
            scenario.runFor(MILLISECOND_NS / 2);
            assertThat(counters.waiting()).isEqualTo(2_001);
            scenario.worker(0).manager.closeStep(2);
            scenario.runFor(MILLISECOND_NS);
            assertThat(counters.waiting()).isEqualTo(1);
            scenario.await(waiting::hasEnded, "the receive that waits");
            assertThat(waiting.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(counters.waiting()).isZero();
            scenario.end();
        }
    }

    /// A caller that repeats short receives keeps the set-up going like a caller that waits.
    @Test
    void aSetUpGoesOnBetweenReceivesThatGiveUpSoon() {
        var options = SimulatedCluster.Options.defaults();
        try (var scenario = new Scenario(7, 1, 1, options, SimulatedFabricOptions.defaults())) {
            var offers = new AtomicInteger();
            scenario.cluster.play(SimulatedCluster.name(1), new EndpointAcceptor() {
                @Override
                public CompletableFuture<OfferAnswer> onOffer(ConnectionParameters offer) {
                    offers.incrementAndGet();
                    return CompletableFuture.failedFuture(new TransportException(StatusCode.UNAVAILABLE, "not yet"));
                }

                @Override
                public CompletableFuture<Void> onReady(String peer, long incarnation, long connectionId) {
                    return CompletableFuture.completedFuture(null);
                }
            });
            while (scenario.fabric.now() < CONNECT_TIMEOUT_NS - 10 * MILLISECOND_NS) {
                scenario.receive(1, 0, 1, "edge").cancel();
                scenario.runFor(5 * MILLISECOND_NS);
            }
            // With pauses that grow from 20 ms to 1 s.
            assertThat(offers).hasValueBetween(8, 25);
            scenario.end();
        }
    }

    @Test
    void theTimeLimitOfASetUpThatSucceededDoesNotDeclareThePeerDown() {
        try (var scenario = new Scenario(8, 2, 0, SimulatedCluster.Options.defaults(), Scenario.network())) {
            scenario.exchange(1, 0, 1, "edge", 100, 1);
            scenario.runFor(CONNECT_TIMEOUT_NS - 500 * MILLISECOND_NS);
            loseTheOnlyChannel(scenario);
            scenario.runFor(2 * SECOND_NS);
            PeerStatus status = scenario.worker(0).adapter.peers().getFirst();
            assertThat(status.state()).isEqualTo(PeerStatus.State.IDLE);
            assertThat(status.failure()).hasMessageContaining("a queue pair failed");
            scenario.end();
        }
    }

    @Test
    void theTimeLimitOfASetUpThatSucceededEndsNoLaterChannel() {
        for (int i = 0; i < 100; i++) {
            try (var scenario = new Scenario(9, 2, 0, SimulatedCluster.Options.defaults(), Scenario.network())) {
                scenario.exchange(1, 0, 1, "edge", 100, 1);
                scenario.runFor(
                        CONNECT_TIMEOUT_NS - 10 * MILLISECOND_NS + i * MILLISECOND_NS / 10 - scenario.fabric.now());
                loseTheOnlyChannel(scenario);
                var connected = scenario.worker(1).adapter.connect(SimulatedCluster.name(0));
                scenario.runFor(SECOND_NS);
                assertThat(connected).isCompleted();
                assertThat(scenario.worker(0).adapter.counters().failed()).isEqualTo(1);
                scenario.end();
            }
        }
    }

    private static void loseTheOnlyChannel(Scenario scenario) {
        for (int i = 0; i < 2; i++) {
            ChannelDescription lost = scenario.worker(i).adapter.channels().getFirst();
            int queuePair = lost.queuePairs().getFirst().queuePairNumber();
            scenario.fabric.raise(SimulatedCluster.name(i), new AsyncEvent(AsyncEvent.Type.QP_FATAL, queuePair));
        }
        scenario.await(() -> scenario.worker(1).adapter.channels().isEmpty(), "the channel is lost");
    }

    @Test
    void aPeerThatAcceptsAndIsNeverReachedIsUnavailable() {
        try (var scenario = new Scenario(3, 2)) {
            scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), 30 * SECOND_NS);
            var receive = scenario.receive(1, 0, 1, "edge");
            scenario.await(receive::hasEnded, "the receive fails");
            assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(scenario.fabric.now()).isLessThan(10 * SECOND_NS);
            scenario.closeSteps();
            scenario.runFor(30 * SECOND_NS);
            scenario.exchange(1, 0, 2, "edge", 100, 5);
            scenario.end();
        }
    }

    @Test
    void theFirstMessageOfAFastPeerThatOvertakesReadyIsNotLost() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = new Scenario(seed, 2)) {
                scenario.cluster.delayReady(500 * MILLISECOND_NS);
                // The answering end writes too, and may do so as soon as it has heard anything.
                var there = scenario.receive(1, 0, 1, "there");
                scenario.send(1, 0, 1, "there", 5_000, 1);
                scenario.await(there::hasEnded, "a tensor from the answering end");
                var back = scenario.receive(0, 1, 1, "back");
                scenario.send(0, 1, 1, "back", 5_000, 2);
                scenario.await(back::hasEnded, "a tensor from the dialling end");
                assertThat(scenario.fabric.now()).as("before ready").isLessThan(500 * MILLISECOND_NS);
                scenario.assertContent(there, 5_000, 1);
                scenario.assertContent(back, 5_000, 2);
                scenario.runFor(SECOND_NS);
                assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
                scenario.end();
            }
        }
    }

    @Test
    void theAnsweringEndWritesNothingBeforeTheOtherIsReady() {
        try (var scenario = new Scenario(4, 2)) {
            scenario.cluster.delayReady(500 * MILLISECOND_NS);
            // Worker 0 dials and is not heard for a while, so that only ready could let worker 1 write.
            scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), 100 * MILLISECOND_NS);
            var connected = scenario.worker(0).adapter.connect(SimulatedCluster.name(1));
            scenario.send(0, 1, 1, "edge", 10, 1);
            scenario.await(connected::isDone, "a channel");
            var receive = scenario.receive(0, 1, 1, "edge");
            scenario.runFor(50 * MILLISECOND_NS);
            assertThat(scenario.worker(1).adapter.counters().messagesSent()).isZero();
            scenario.await(receive::hasEnded, "the tensor");
            assertThat(scenario.fabric.now()).isGreaterThan(100 * MILLISECOND_NS);
            scenario.assertContent(receive, 10, 1);
            scenario.end();
        }
    }

    @Test
    void aRestartedPeerFailsOldReceivesAndServesNewOnes() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = new Scenario(seed, 3)) {
                scenario.exchange(1, 0, 1, "before", 100, 1);
                scenario.exchange(0, 1, 1, "before", 100, 2);
                scenario.exchange(2, 0, 1, "other", 100, 3);
                var old = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 10; i++) {
                    old.add(scenario.receive(1, 0, 1, "never" + i));
                }
                scenario.runFor(MILLISECOND_NS);
                var restarted = scenario.cluster.restart(scenario.worker(1));
                if (seed % 2 == 0) {
                    // The restarted worker dials; otherwise the surviving worker notices by itself.
                    var _ = restarted.adapter.connect(SimulatedCluster.name(0));
                }
                scenario.await(() -> old.stream().allMatch(Scenario.Receive::hasEnded), "old receives end");
                old.forEach(receive -> assertThat(receive.code()).isIn(StatusCode.ABORTED, StatusCode.UNAVAILABLE));
                if (seed % 2 == 0) {
                    assertThat(old.getFirst().code()).isEqualTo(StatusCode.ABORTED);
                }
                scenario.exchange(1, 0, 2, "after", 100, 4);
                scenario.exchange(0, 1, 2, "after", 100, 5);
                scenario.exchange(2, 0, 2, "other", 100, 6);
                assertThat(scenario.worker(2).adapter.counters().failed())
                        .as("channels of a third worker, seed %d", seed)
                        .isZero();
                scenario.end();
            }
        }
    }

    @Test
    void aPeerThatFallsSilentIsUnavailableAndFoundAgain() {
        try (var scenario = new Scenario(5, 2)) {
            scenario.exchange(1, 0, 1, "before", 100, 1);
            var receive = scenario.receive(1, 0, 1, "never");
            scenario.runFor(MILLISECOND_NS);
            long cutAt = scenario.fabric.now();
            scenario.fabric.isolate(SimulatedCluster.name(1), 10 * SECOND_NS);
            scenario.await(receive::hasEnded, "the receive fails");
            assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(scenario.fabric.now() - cutAt)
                    .as("peerTimeout and reconnectTimeout")
                    .isLessThan(4 * SECOND_NS + 10 * MILLISECOND_NS);
            scenario.closeSteps();
            scenario.runFor(10 * SECOND_NS);
            scenario.exchange(1, 0, 2, "after", 100, 2);
            scenario.end();
        }
    }

    @Test
    void aDeviceThatFailsEndsItsReceivesAndNobodyElses() {
        try (var scenario = new Scenario(6, 3)) {
            scenario.exchange(1, 0, 1, "before", 100, 1);
            scenario.exchange(2, 1, 1, "before", 100, 2);
            var ofTheFailed = scenario.receive(1, 0, 1, "never");
            var fromTheFailed = scenario.receive(0, 1, 1, "never");
            var others = scenario.receive(2, 1, 1, "later");
            scenario.runFor(MILLISECOND_NS);
            scenario.fabric.failDevice(SimulatedCluster.name(0));
            scenario.await(() -> ofTheFailed.hasEnded() && fromTheFailed.hasEnded(), "its receives end");
            assertThat(ofTheFailed.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(fromTheFailed.code()).isEqualTo(StatusCode.UNAVAILABLE);
            scenario.send(2, 1, 1, "later", 100, 3);
            scenario.await(others::hasEnded, "the others go on");
            scenario.assertContent(others, 100, 3);
            // Said loudly, and nothing else is wrong.
            assertThat(scenario.log.errors()).hasSize(1).first().asString().contains("DEVICE_FATAL");
            scenario.log.forgetErrors();
            scenario.end();
        }
    }
}
