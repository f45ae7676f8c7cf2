package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.VerbsException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A device that refuses calls in the middle of the work: the channel ends, all waiting operations fail, the loop goes
/// on, and when the device has recovered another channel is set up.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FaultyDeviceTest {
    @ParameterizedTest
    @ValueSource(strings = {"postSend", "postReceive", "poll", "requestNotification"})
    void aCallThatTheDeviceRefusesEndsTheChannelAlone(String method) throws Exception {
        endsTheChannelAlone(method);
    }

    @Test
    void aQueuePairThatCannotBeStoppedEndsTheChannelAllTheSame() throws Exception {
        endsTheChannelAlone("postSend", "modify");
    }

    private static void endsTheChannelAlone(String... methods) throws Exception {
        var faults = new FaultyDevice();
        try (var workers = new LoopbackWorkers(faults)) {
            transfer(workers, 1);
            var waiting = workers.worker(0).manager.rendezvous(1).recvAsync(LoopbackWorkers.key(1, 0, "never"));
            transfer(workers, 2);
            for (String method : methods) {
                faults.refuse(method);
            }
            // Work that makes the loop call the device; it may or may not succeed.
            var next = workers.worker(0).manager.rendezvous(1).recvAsync(LoopbackWorkers.key(1, 0, "next"));
            workers.worker(1)
                    .manager
                    .rendezvous(1)
                    .send(LoopbackWorkers.key(1, 0, "next"), workers.worker(1).bytes(10, 1));
            assertThat(failureOf(waiting).code()).isIn(StatusCode.UNAVAILABLE, StatusCode.INTERNAL);
            faults.recover();
            closeIfReceived(next);
            workers.worker(0).manager.closeStep(1);
            workers.worker(1).manager.closeStep(1);
            transfer(workers, 3);
            assertThat(workers.worker(0).adapter.counters().opened()).isGreaterThanOrEqualTo(2);
        }
    }

    /// The queue pair is alive, and the peer's writes land in memory that must not be reused.
    @Test
    void memoryStaysOutOfUseWhereTheDeviceDoesNotStop() throws Exception {
        var faults = new FaultyDevice();
        var workers = new LoopbackWorkers(faults);
        try {
            transfer(workers, 1);
            var memory = workers.worker(0).adapter.memory();
            long before = memory.statistics().bytesInUse();
            // Warm: memory is named to the peer.
            var waiting = workers.worker(0).manager.rendezvous(1).recvAsync(LoopbackWorkers.key(1, 0, "edge"));
            var next = workers.worker(0).manager.rendezvous(1).recvAsync(LoopbackWorkers.key(1, 0, "edge"));
            for (String method : List.of("postSend", "modify", "close")) {
                faults.refuse(method);
            }
            workers.worker(0).manager.rendezvous(1).recvAsync(LoopbackWorkers.key(1, 0, "edge"));
            assertThat(failureOf(waiting).code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(failureOf(next).code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(memory.statistics().bytesInUse()).isGreaterThanOrEqualTo(before + 2 * 100);
            faults.recover();
            transfer(workers, 3);
        } finally {
            // The objects that the device did not destroy still exist.
            assertThatThrownBy(workers::close).isInstanceOf(VerbsException.class);
        }
    }

    @Test
    void aCompletionThatNobodyAskedForIsCountedAndDoesNothing() throws Exception {
        var faults = new FaultyDevice();
        try (var workers = new LoopbackWorkers(faults)) {
            transfer(workers, 1);
            for (int i = 0; i < 10; i++) {
                faults.strayCompletion();
                transfer(workers, 1);
            }
            assertThat(workers.worker(0).adapter.counters().unknownCompletions())
                    .isEqualTo(10 - faults.pendingStrayCompletions())
                    .isPositive();
            assertThat(workers.worker(0).adapter.counters().failed()).isZero();
        }
    }

    private static void transfer(LoopbackWorkers workers, long step) throws Exception {
        var key = LoopbackWorkers.key(1, 0, "edge");
        workers.worker(1).manager.rendezvous(step).send(key, workers.worker(1).bytes(100, 1));
        RecvResult result =
                workers.worker(0).manager.rendezvous(step).recvAsync(key).get(30, TimeUnit.SECONDS);
        ((RecvResult.Received) result).tensor().close();
    }

    private static TransportException failureOf(CompletableFuture<RecvResult> receive) throws Exception {
        try {
            receive.get(30, TimeUnit.SECONDS);
            throw new AssertionError("it was received");
        } catch (ExecutionException e) {
            return (TransportException) e.getCause();
        }
    }

    private static void closeIfReceived(CompletableFuture<RecvResult> receive) {
        var _ = receive.whenComplete((result, _) -> {
            if (result instanceof RecvResult.Received(var tensor)) {
                tensor.close();
            }
        });
    }
}
