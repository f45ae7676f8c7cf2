package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.HopelessStatuses;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.WorkStatus;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Every way in which a device can say that something went wrong, injected under a running worker: its channel ends,
/// nobody else's does, and another one works.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FaultScenarioTest {
    private static final String WORKER = SimulatedCluster.name(0);
    private static final String PEER = SimulatedCluster.name(1);
    /// Within this time a receive has failed, or goes on over another channel.
    private static final long BOUND_NS = 5 * SECOND_NS;

    /// Worker 0 waits for a tensor of worker 1 and one of worker 2, who is not concerned.
    private static final class Stage implements AutoCloseable {
        final Scenario scenario;
        final Scenario.Receive concerned;
        final Scenario.Receive other;

        Stage(long seed) {
            scenario = new Scenario(seed, 3);
            scenario.exchange(1, 0, 1, "before", 100, 1);
            scenario.exchange(2, 0, 1, "before", 100, 2);
            concerned = scenario.receive(1, 0, 1, "concerned");
            other = scenario.receive(2, 0, 1, "other");
            scenario.runFor(MILLISECOND_NS);
        }

        long failedChannels() {
            return scenario.worker(0).adapter.counters().failed();
        }

        void awaitFailedChannels(int count) {
            scenario.await(() -> failedChannels() >= count, "channels fail");
        }

        /// The receive fails, saying why.
        void assertFails(StatusCode code, String verbsStatus) {
            long from = scenario.fabric.now();
            scenario.await(concerned::hasEnded, "the receive fails");
            assertThat(scenario.fabric.now() - from).isLessThan(BOUND_NS);
            assertExplained(concerned.failure(), code, verbsStatus);
        }

        /// Checks that a channel to the peer has ended, and that its state has the cause.
        void assertEnded(StatusCode code, String... verbsStatus) {
            awaitFailedChannels(1);
            TransportException why = scenario.worker(0).adapter.peers().stream()
                    .filter(status -> status.peer().equals(PEER))
                    .map(status -> Objects.requireNonNull(status.failure()))
                    .findFirst()
                    .orElseThrow();
            assertThat(why.code()).isEqualTo(code);
            assertThat(why.peer()).isEqualTo(PEER);
            assertThat(why.verbsStatus()).isIn((Object[]) verbsStatus);
        }

        /// Nobody notices: the tensor comes over the next channel.
        void assertGoesOn() {
            assertThat(concerned.hasEnded()).isFalse();
            long from = scenario.fabric.now();
            scenario.send(1, 0, 1, "concerned", 5_000, 7);
            scenario.await(concerned::hasEnded, "the receive ends");
            assertThat(scenario.fabric.now() - from).isLessThan(BOUND_NS);
            scenario.assertContent(concerned, 5_000, 7);
        }

        private static void assertExplained(TransportException failure, StatusCode code, String verbsStatus) {
            assertThat(failure.code()).isEqualTo(code);
            assertThat(failure.peer()).isEqualTo(PEER);
            assertThat(failure.verbsStatus()).isEqualTo(verbsStatus);
        }

        void assertNothingHappened() {
            assertThat(failedChannels()).isZero();
            scenario.send(1, 0, 1, "concerned", 100, 6);
            scenario.await(concerned::hasEnded, "the receive goes on");
            scenario.assertContent(concerned, 100, 6);
            assertNothingElse();
        }

        /// The other peer's receive was not concerned, and the peers meet again.
        void assertNothingElse() {
            assertThat(other.hasEnded()).isFalse();
            scenario.send(2, 0, 1, "other", 100, 3);
            scenario.await(other::hasEnded, "the other's receive goes on");
            scenario.assertContent(other, 100, 3);
            assertThat(scenario.worker(2).adapter.counters().failed())
                    .as("channels of the other peer")
                    .isZero();
            meetAgain();
        }

        void meetAgain() {
            scenario.closeSteps();
            scenario.exchange(1, 0, 2, "after", 100, 4);
            scenario.exchange(0, 1, 2, "after", 100, 5);
            scenario.end();
        }

        @Override
        public void close() {
            scenario.close();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SUCCESS")
    void aSendThatCompletesWithThisEndsItsChannelAlone(WorkStatus status) {
        try (var stage = new Stage(status.number())) {
            stage.scenario.fabric.failNextSend(WORKER, status);
            // Its request is the next that worker 0 sends.
            var trigger = stage.scenario.receive(1, 0, 1, "trigger");
            assertEnd(stage, status);
            trigger.cancel();
            stage.assertNothingElse();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SUCCESS")
    void aReceiveThatCompletesWithThisEndsItsChannelAlone(WorkStatus status) {
        try (var stage = new Stage(100 + status.number())) {
            var trigger = stage.scenario.receive(1, 0, 1, "trigger");
            stage.scenario.runFor(MILLISECOND_NS);
            stage.scenario.fabric.failNextReceive(WORKER, status);
            // Its metadata is the next that arrives at worker 0.
            stage.scenario.send(1, 0, 1, "trigger", 100, 9);
            assertEnd(stage, status);
            stage.scenario.await(() -> trigger.hasEnded() || trigger.cancel(), "the other receive ends");
            trigger.close();
            stage.assertNothingElse();
        }
    }

    private static void assertEnd(Stage stage, WorkStatus status) {
        if (HopelessStatuses.contains(status)) {
            stage.assertEnded(StatusCode.INTERNAL, status.name());
            stage.assertFails(StatusCode.INTERNAL, status.name());
        } else {
            stage.assertEnded(StatusCode.UNAVAILABLE, status.name());
            stage.assertGoesOn();
        }
    }

    /// The system may take a dying process' memory from the device before its queue pairs.
    @Test
    void aPeerThatDiesWithItsMemoryFirstIsUnavailable() {
        try (var stage = new Stage(300)) {
            stage.scenario.fabric.failNextSend(WORKER, WorkStatus.REM_ACCESS_ERR);
            var trigger = stage.scenario.receive(1, 0, 1, "trigger");
            stage.scenario.cluster.kill(stage.scenario.worker(1));
            stage.scenario.await(stage.concerned::hasEnded, "the receive fails");
            stage.scenario.await(trigger::hasEnded, "the other receive fails");
            assertThat(stage.concerned.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(trigger.code()).isEqualTo(StatusCode.UNAVAILABLE);
        }
    }

    @Test
    void memoryThatIsRefusedAgainByAPeerThatLivesFailsWhatWasUnderWay() {
        try (var stage = new Stage(301)) {
            stage.scenario.fabric.failNextSend(WORKER, WorkStatus.REM_ACCESS_ERR);
            var trigger = stage.scenario.receive(1, 0, 1, "trigger");
            stage.assertEnded(StatusCode.UNAVAILABLE, WorkStatus.REM_ACCESS_ERR.name());
            // What asks again over the next channel.
            stage.scenario.fabric.failNextSend(WORKER, WorkStatus.REM_ACCESS_ERR);
            stage.assertFails(StatusCode.INTERNAL, WorkStatus.REM_ACCESS_ERR.name());
            stage.scenario.await(trigger::hasEnded, "the other receive fails");
            assertThat(trigger.code()).isEqualTo(StatusCode.INTERNAL);
            stage.assertNothingElse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"QP_FATAL", "QP_REQ_ERR", "QP_ACCESS_ERR", "PATH_MIG_ERR"})
    void anEventOfAQueuePairEndsItsChannelAlone(AsyncEvent.Type type) {
        try (var stage = new Stage(200 + type.name().length())) {
            int number = queuePairTo(stage, PEER);
            stage.scenario.fabric.raise(WORKER, new AsyncEvent(type, number));
            if (type == AsyncEvent.Type.QP_REQ_ERR || type == AsyncEvent.Type.QP_ACCESS_ERR) {
                stage.assertEnded(StatusCode.INTERNAL, type.name());
                stage.assertFails(StatusCode.INTERNAL, type.name());
            } else {
                stage.assertEnded(StatusCode.UNAVAILABLE, type.name());
                stage.assertGoesOn();
            }
            stage.assertNothingElse();
        }
    }

    private static int queuePairTo(Stage stage, String peer) {
        return stage.scenario.worker(0).adapter.channels().stream()
                .filter(channel -> channel.peer().equals(peer))
                .map(channel -> channel.queuePairs().getLast().queuePairNumber())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anEventOfAQueuePairThatIsGoneEndsNothing() {
        try (var stage = new Stage(1)) {
            stage.scenario.fabric.raise(WORKER, new AsyncEvent(AsyncEvent.Type.QP_FATAL, 0xABCDEF));
            stage.scenario.runFor(MILLISECOND_NS);
            assertThat(stage.failedChannels()).isZero();
            stage.assertGoesOn();
            stage.assertNothingElse();
        }
    }

    @Test
    void aCompletionQueueThatFailsEndsItsChannelAlone() {
        try (var stage = new Stage(2)) {
            // The first queue pair that was made belongs to the channel to worker 1.
            assertThat(stage.scenario.fabric.failCompletionQueue(WORKER)).isTrue();
            // Its queue pairs fail with it; either may be noticed first.
            stage.assertEnded(StatusCode.UNAVAILABLE, "CQ_ERR", "QP_FATAL");
            stage.assertGoesOn();
            stage.assertNothingElse();
        }
    }

    @ParameterizedTest
    @EnumSource(
            names = {"COMM_EST", "SQ_DRAINED", "PATH_MIG", "LID_CHANGE", "PKEY_CHANGE", "GID_CHANGE", "PORT_ACTIVE"})
    void aHarmlessEventEndsNothing(AsyncEvent.Type type) {
        try (var stage = new Stage(3)) {
            int queuePair = queuePairTo(stage, PEER);
            stage.scenario.fabric.raise(WORKER, new AsyncEvent(type, 1));
            stage.scenario.fabric.raise(WORKER, new AsyncEvent(type, queuePair));
            stage.scenario.runFor(SECOND_NS);
            stage.assertNothingHappened();
        }
    }

    @Test
    void theErrorOfAnotherPortEndsNothing() {
        try (var stage = new Stage(4)) {
            stage.scenario.fabric.raise(WORKER, new AsyncEvent(AsyncEvent.Type.PORT_ERR, 2));
            stage.scenario.runFor(SECOND_NS);
            stage.assertNothingHappened();
        }
    }

    @Test
    void aPortThatFlapsEndsNothing() {
        try (var stage = new Stage(8)) {
            var scenario = stage.scenario;
            scenario.fabric.portDown(WORKER);
            // What is written meanwhile is written again by the device.
            var meanwhile = scenario.receive(1, 0, 1, "meanwhile");
            scenario.send(1, 0, 1, "meanwhile", 5_000, 7);
            scenario.send(0, 2, 1, "there", 5_000, 8);
            var there = scenario.receive(0, 2, 1, "there");
            scenario.runFor(100 * MILLISECOND_NS);
            assertThat(meanwhile.hasEnded()).isFalse();
            scenario.fabric.portUp(WORKER);
            scenario.await(() -> meanwhile.hasEnded() && there.hasEnded(), "the receives go on");
            scenario.assertContent(meanwhile, 5_000, 7);
            scenario.assertContent(there, 5_000, 8);
            // Longer than the grace that was begun.
            scenario.runFor(3 * SECOND_NS);
            stage.assertNothingHappened();
        }
    }

    @Test
    void noChannelIsSetUpWhileThePortIsDown() {
        try (var scenario = new Scenario(9, 2)) {
            scenario.fabric.portDown(WORKER);
            var receive = scenario.receive(1, 0, 1, "edge");
            scenario.send(1, 0, 1, "edge", 100, 1);
            scenario.runFor(SECOND_NS);
            assertThat(scenario.worker(1).adapter.peers()).as("offers").isEmpty();
            assertThat(receive.hasEnded()).isFalse();
            scenario.fabric.portUp(WORKER);
            scenario.await(receive::hasEnded, "the receive goes on");
            scenario.assertContent(receive, 100, 1);
            scenario.end();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 200})
    void channelsEndWhenTheGraceForTheirPortIsOver(int graceMilliseconds) {
        var options = SimulatedCluster.Options.defaults().withPortGrace(graceMilliseconds);
        try (var scenario = new Scenario(10, 2, 0, options, Scenario.network())) {
            scenario.exchange(1, 0, 1, "before", 100, 1);
            var receive = scenario.receive(1, 0, 1, "edge");
            scenario.runFor(MILLISECOND_NS);
            scenario.fabric.portDown(WORKER);
            if (graceMilliseconds > 0) {
                scenario.runFor(graceMilliseconds * MILLISECOND_NS - 1);
                assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
            }
            scenario.runFor(MILLISECOND_NS);
            assertThat(scenario.worker(0).adapter.counters().failed()).isEqualTo(1);
            assertThat(Objects.requireNonNull(scenario.worker(0)
                                    .adapter
                                    .peers()
                                    .getFirst()
                                    .failure())
                            .verbsStatus())
                    .isEqualTo("PORT_ERR");
            assertThat(scenario.log.errors()).hasSize(1).first().asString().contains("PORT_ERR");
            scenario.log.forgetErrors();
            scenario.fabric.portUp(WORKER);
            scenario.send(1, 0, 1, "edge", 100, 2);
            scenario.await(receive::hasEnded, "the receive goes on");
            scenario.assertContent(receive, 100, 2);
            scenario.end();
        }
    }

    @Test
    void aPortThatStaysDownEndsAllChannelsUntilItIsActiveAgain() {
        try (var stage = new Stage(5)) {
            var scenario = stage.scenario;
            scenario.fabric.portDown(WORKER);
            stage.awaitFailedChannels(2);
            long downAt = scenario.fabric.now();
            scenario.closeSteps();
            // Nothing gets through, and a new receive fails within the time for a peer that has gone.
            var meanwhile = scenario.receive(1, 0, 2, "meanwhile");
            scenario.await(meanwhile::hasEnded, "the receive fails");
            assertThat(scenario.fabric.now() - downAt).isBetween(SECOND_NS, BOUND_NS);
            assertThat(meanwhile.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(meanwhile.failure().verbsStatus()).isEqualTo("PORT_ERR");
            assertThat(scenario.worker(0).adapter.channels()).isEmpty();
            // One that waits when the port comes back is served.
            var patient = scenario.receive(1, 0, 3, "patient");
            scenario.runFor(SECOND_NS);
            scenario.fabric.portUp(WORKER);
            scenario.send(1, 0, 3, "patient", 100, 8);
            scenario.await(patient::hasEnded, "the receive goes on");
            scenario.assertContent(patient, 100, 8);
            assertThat(scenario.log.errors()).hasSize(1).first().asString().contains("PORT_ERR");
            scenario.log.forgetErrors();
            stage.meetAgain();
        }
    }

    @Test
    void aPeerWhosePortIsDownTakesNoOffer() {
        try (var stage = new Stage(6)) {
            var scenario = stage.scenario;
            scenario.fabric.portDown(PEER);
            scenario.await(() -> scenario.worker(1).adapter.channels().isEmpty(), "the peer's channels end");
            scenario.closeSteps();
            var receive = scenario.receive(1, 0, 2, "edge");
            scenario.await(receive::hasEnded, "the receive fails");
            assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
            scenario.fabric.portUp(PEER);
            scenario.log.forgetErrors();
            stage.meetAgain();
        }
    }

    @Test
    void aBrokenDeviceEndsAllChannelsForGood() {
        try (var stage = new Stage(7)) {
            var scenario = stage.scenario;
            scenario.fabric.failDevice(WORKER);
            scenario.await(() -> stage.concerned.hasEnded() && stage.other.hasEnded(), "its receives fail");
            assertThat(stage.concerned.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(stage.concerned.failure().verbsStatus()).isEqualTo("DEVICE_FATAL");
            assertThat(stage.concerned.failure().peer()).isEqualTo(PEER);
            assertThat(Objects.requireNonNull(stage.other.failure().peer())).isEqualTo(SimulatedCluster.name(2));
            long brokenAt = scenario.fabric.now();
            var later = scenario.receive(1, 0, 2, "later");
            scenario.await(later::hasEnded, "a later receive fails");
            assertThat(later.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(later.failure().verbsStatus()).isEqualTo("DEVICE_FATAL");
            assertThat(scenario.fabric.now() - brokenAt).as("at once").isLessThan(MILLISECOND_NS);
            // The others go on without it.
            scenario.closeSteps();
            scenario.exchange(1, 2, 3, "others", 100, 3);
            assertThat(scenario.log.errors()).hasSize(1).first().asString().contains("DEVICE_FATAL");
            scenario.log.forgetErrors();
            scenario.end();
        }
    }
}
