package io.tensorferry.verbs.rendezvous.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.RendezvousLimits;
import io.tensorferry.verbs.rendezvous.CallbackExecutor;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import io.tensorferry.verbs.statistics.StepStatistics;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The requests that peers may park in the steps of a worker.
@Timeout(60)
class StepTableTest {
    private static final String PEER = "/job:worker/replica:0/task:1";
    private static final String OTHER = "/job:worker/replica:0/task:2";
    private static final String SELF = "/job:worker/replica:0/task:0";

    /// A rendezvous without receives.
    private static final class Idle extends StepRendezvous {
        Idle(long stepId, RendezvousLimits limits) {
            super(
                    stepId,
                    new WorkerContext(SELF, Set.of(SELF), CallbackExecutor.onCaller(), (_, _) -> () -> {}, limits));
        }

        @Override
        protected void startRemote(RemoteReceive receive) {
            receive.complete(new RecvResult.Dead());
        }
    }

    private static StepTable<Idle> table(long requests, long steps) {
        RendezvousLimits limits = RendezvousLimits.defaults().withPeer(requests, steps);
        return new StepTable<>(stepId -> new Idle(stepId, limits), limits);
    }

    private static PeerRequest request(long step, String peer) {
        return PeerRequest.of(step, peer, 100);
    }

    private static Idle open(StepTable<Idle> table, PeerRequest request) {
        return Objects.requireNonNull(table.openForPeer(request));
    }

    private static void assertRefused(StepTable<Idle> table, PeerRequest request, String why) {
        assertThatThrownBy(() -> table.openForPeer(request))
                .isInstanceOfSatisfying(
                        TransportException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
                .hasMessageContaining(why);
    }

    @Test
    void aPeerParksOnlySoManyRequests() {
        StepTable<Idle> table = table(3, 100);
        Idle step = table.open(1);
        for (int i = 0; i < 3; i++) {
            open(table, request(1, PEER));
        }
        assertRefused(table, request(1, PEER), "3 requests of this peer");
        // Other peers are not concerned, and a request that ends makes room.
        open(table, request(1, OTHER));
        table.release(request(1, PEER), step);
        open(table, request(1, PEER));
        assertRefused(table, request(1, PEER), "3 requests of this peer");
    }

    /// The last tensor of the step is taken at the same moment.
    @Test
    void aStepIsFinishedWhoeverClosesIt() throws Exception {
        StepTable<Idle> table = table(100, 100);
        var key = RendezvousKey.of(
                DeviceName.parse(SELF + "/device:CPU:0"), DeviceName.parse(SELF + "/device:CPU:1"), "edge");
        var started = new CyclicBarrier(2);
        int rounds = 20_000;
        Thread taker = Thread.ofPlatform().start(() -> {
            try {
                for (long step = 0; step < rounds; step++) {
                    Idle rendezvous = table.open(step);
                    rendezvous.sendDead(key);
                    started.await();
                    rendezvous.recvAsync(key, _ -> {});
                }
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new AssertionError(e);
            }
        });
        for (long step = 0; step < rounds; step++) {
            started.await();
            assertThat(table.finish(step, Duration.ofSeconds(10)).get(10, TimeUnit.SECONDS))
                    .isNull();
        }
        taker.join();
        assertThat(table.statistics()).isEqualTo(new StepStatistics(0, 0, Duration.ZERO, 0));
    }

    @Test
    void longKeysCountAsSeveral() {
        StepTable<Idle> table = table(16, 100);
        table.open(1);
        open(table, PeerRequest.of(1, PEER, 4000));
        open(table, PeerRequest.of(1, PEER, 4000));
        assertRefused(table, request(1, PEER), "8000 characters of keys");
    }

    @Test
    void aPeerNamesOnlySoManyStepsThatThisWorkerDoesNotKnow() {
        StepTable<Idle> table = table(1000, 2);
        Idle one = open(table, request(1, PEER));
        open(table, request(1, PEER));
        open(table, request(2, PEER));
        assertRefused(table, request(3, PEER), "2 steps");
        // A step that others know takes no room; one that this worker names or closes, or that the peer leaves, frees
        // some.
        open(table, request(3, OTHER));
        open(table, request(3, PEER));
        table.open(2);
        open(table, request(4, PEER));
        assertRefused(table, request(5, PEER), "2 steps");
        table.close(4);
        open(table, request(5, PEER));
        assertRefused(table, request(6, PEER), "2 steps");
        table.release(request(1, PEER), one);
        table.release(request(1, PEER), one);
        open(table, request(6, PEER));
        assertThat(table.statistics().open()).isEqualTo(4);
    }

    /// A request may end after its step was closed, and after another step took its number.
    @Test
    void aRequestOfAClosedStepIsCountedUntilItEnds() {
        StepTable<Idle> table = table(1, 100);
        table.open(1);
        Idle step = open(table, request(1, PEER));
        table.close(1);
        assertThat(table.openForPeer(request(1, PEER))).isNull();
        Idle again = table.open(1);
        assertRefused(table, request(1, PEER), "1 requests");
        table.release(request(1, PEER), step);
        assertThat(open(table, request(1, PEER))).isSameAs(again);
    }
}
