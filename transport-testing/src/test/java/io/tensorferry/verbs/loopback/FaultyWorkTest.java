package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.HopelessStatuses;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The software device with real threads, whose completions report every failure and which reports every event:
/// within seconds a receive has failed with its cause, or its tensor has arrived over another channel.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FaultyWorkTest {
    private static final RendezvousKey KEY = LoopbackWorkers.key(1, 0, "edge");
    private static final RendezvousKey LATER = LoopbackWorkers.key(1, 0, "later");

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SUCCESS")
    void aCompletionThatSaysThisEndsTheChannelAlone(WorkStatus status) throws Exception {
        var faults = new FaultyDevice();
        try (var workers = new LoopbackWorkers(faults)) {
            transfer(workers, 1);
            CompletableFuture<RecvResult> waiting = receive(workers, 1, LATER);
            faults.failNextCompletion(status, 0x81);
            // A content, so that something completes: a request is not signaled.
            CompletableFuture<RecvResult> trigger = receive(workers, 1, KEY);
            workers.worker(1).manager.rendezvous(1).send(KEY, workers.worker(1).bytes(100, 1));
            if (HopelessStatuses.contains(status)) {
                TransportException failure = failureOf(waiting);
                assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
                assertThat(failure.peer()).isEqualTo(LoopbackWorkers.name(1));
                assertThat(failure.verbsStatus()).isEqualTo(status + ", vendor error 0x81");
            } else {
                assertGoesOn(workers, waiting);
            }
            trigger.cancel(false);
            assertMeetAgain(workers);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"QP_FATAL", "QP_REQ_ERR", "QP_ACCESS_ERR", "PATH_MIG_ERR"})
    void anEventOfAQueuePairEndsItsChannel(AsyncEvent.Type type) throws Exception {
        var faults = new FaultyDevice();
        try (var workers = new LoopbackWorkers(faults)) {
            transfer(workers, 1);
            CompletableFuture<RecvResult> waiting = receive(workers, 1, LATER);
            faults.raise(new AsyncEvent(
                    type,
                    workers.worker(0)
                            .adapter
                            .channels()
                            .getFirst()
                            .queuePairs()
                            .getLast()
                            .queuePairNumber()));
            if (type == AsyncEvent.Type.QP_REQ_ERR || type == AsyncEvent.Type.QP_ACCESS_ERR) {
                TransportException failure = failureOf(waiting);
                assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
                assertThat(failure.verbsStatus()).isEqualTo(type.name());
            } else {
                assertGoesOn(workers, waiting);
            }
            assertMeetAgain(workers);
        }
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "COMM_EST",
                "SQ_DRAINED",
                "PATH_MIG",
                "LID_CHANGE",
                "PKEY_CHANGE",
                "GID_CHANGE",
                "PORT_ACTIVE",
                "CQ_ERR"
            })
    void anEventThatConcernsNothingHereEndsNothing(AsyncEvent.Type type) throws Exception {
        var faults = new FaultyDevice();
        try (var workers = new LoopbackWorkers(faults)) {
            transfer(workers, 1);
            faults.raise(new AsyncEvent(type, 1));
            transfer(workers, 1);
            assertThat(workers.worker(0).adapter.counters().failed()).isZero();
        }
    }

    @Test
    void aGidThatVanishesEndsTheChannelAndIsWaitedFor() throws Exception {
        var faults = new FaultyDevice();
        Set<String> askedOn = ConcurrentHashMap.newKeySet();
        faults.observe((method, _) -> {
            if (method.equals("gid") || method.equals("port") || method.equals("partitionKey")) {
                askedOn.add(Thread.currentThread().getName());
            }
        });
        try (var workers = new LoopbackWorkers(faults)) {
            transfer(workers, 1);
            CompletableFuture<RecvResult> waiting = receive(workers, 1, LATER);
            faults.alter("gid", GidEntry.class, entry -> new GidEntry(entry.index(), new Gid(0, 0), entry.type()));
            faults.raise(new AsyncEvent(AsyncEvent.Type.GID_CHANGE, 1));
            awaitFailedChannel(workers);
            LockSupport.parkNanos(200_000_000);
            assertThat(workers.worker(0).adapter.channels()).isEmpty();
            faults.recover();
            assertGoesOn(workers, waiting);
            assertMeetAgain(workers);
        }
        assertThat(askedOn).noneMatch(name -> name.startsWith("tensorferry-loop"));
    }

    @Test
    void aPortWithoutAPartitionIsUnavailable() throws Exception {
        var faults = new FaultyDevice();
        try (var workers = new LoopbackWorkers(faults)) {
            transfer(workers, 1);
            faults.alter("partitionKey", Integer.class, _ -> 0x8000);
            faults.raise(new AsyncEvent(AsyncEvent.Type.PKEY_CHANGE, 1));
            awaitFailedChannel(workers);
            TransportException failure = failureOf(receive(workers, 1, LATER));
            assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(failure).hasMessageContaining("entry 0 of the partition-key table of port 1 of soft0 is empty");
            faults.recover();
            assertMeetAgain(workers);
        }
    }

    /// The link may have gone down before a listener was registered.
    @Test
    void aPortThatIsNotActiveIsNotDialledFrom() throws Exception {
        var faults = new FaultyDevice();
        try (var workers = new LoopbackWorkers(faults)) {
            faults.alter("port", PortAttributes.class, FaultyWorkTest::down);
            CompletableFuture<RecvResult> waiting = receive(workers, 1, KEY);
            LockSupport.parkNanos(200_000_000);
            assertThat(workers.worker(1).adapter.peers()).isEmpty();
            faults.recover();
            workers.worker(1).manager.rendezvous(1).send(KEY, workers.worker(1).bytes(100, 1));
            waiting.get(30, TimeUnit.SECONDS).tensorOrThrow().close();
        }
    }

    private static PortAttributes down(PortAttributes port) {
        return new PortAttributes(
                PortAttributes.PortState.DOWN,
                port.linkLayer(),
                port.maxMtu(),
                port.activeMtu(),
                port.maxMessageBytes(),
                port.gidTableLength(),
                port.pkeyTableLength(),
                port.lid(),
                port.lidMaskControl(),
                port.subnetManagerLid());
    }

    @Test
    void aPortThatFlapsEndsNothing() throws Exception {
        var faults = new FaultyDevice();
        try (var workers = new LoopbackWorkers(faults)) {
            transfer(workers, 1);
            faults.raise(new AsyncEvent(AsyncEvent.Type.PORT_ERR, 1));
            transfer(workers, 1);
            LockSupport.parkNanos(100_000_000);
            faults.raise(new AsyncEvent(AsyncEvent.Type.PORT_ACTIVE, 1));
            // Longer than the grace that has begun.
            LockSupport.parkNanos(2_300_000_000L);
            transfer(workers, 1);
            assertThat(workers.worker(0).adapter.counters().failed()).isZero();
        }
    }

    @Test
    void aPortThatIsDownForAWhileIsWaitedFor() throws Exception {
        var faults = new FaultyDevice();
        try (var workers = new LoopbackWorkers(faults)) {
            transfer(workers, 1);
            CompletableFuture<RecvResult> waiting = receive(workers, 1, LATER);
            faults.raise(new AsyncEvent(AsyncEvent.Type.PORT_ERR, 1));
            awaitFailedChannel(workers);
            LockSupport.parkNanos(200_000_000);
            assertThat(workers.worker(0).adapter.channels()).isEmpty();
            faults.raise(new AsyncEvent(AsyncEvent.Type.PORT_ACTIVE, 1));
            assertGoesOn(workers, waiting);
            assertMeetAgain(workers);
        }
    }

    @Test
    void aPortThatStaysDownFailsTheReceivesWithIt() throws Exception {
        var faults = new FaultyDevice();
        try (var workers = new LoopbackWorkers(faults)) {
            transfer(workers, 1);
            CompletableFuture<RecvResult> waiting = receive(workers, 1, LATER);
            faults.raise(new AsyncEvent(AsyncEvent.Type.PORT_ERR, 1));
            TransportException failure = failureOf(waiting);
            assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(failure.verbsStatus()).isEqualTo("PORT_ERR");
        }
    }

    @Test
    void aBrokenDeviceFailsItsReceivesNowAndLater() throws Exception {
        var faults = new FaultyDevice();
        try (var workers = new LoopbackWorkers(faults)) {
            transfer(workers, 1);
            CompletableFuture<RecvResult> waiting = receive(workers, 1, LATER);
            faults.raise(new AsyncEvent(AsyncEvent.Type.DEVICE_FATAL, 0));
            for (CompletableFuture<RecvResult> each : List.of(waiting, receive(workers, 2, LATER))) {
                TransportException failure = failureOf(each);
                assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
                assertThat(failure.verbsStatus()).isEqualTo("DEVICE_FATAL");
            }
        }
    }

    @Test
    void memoryThatCannotBePinnedFailsTheReceiveWithTheReason() throws Exception {
        var faults = new FaultyDevice();
        try (var workers = new LoopbackWorkers(faults)) {
            String reason = "RLIMIT_MEMLOCK, now 65536 bytes; raise it with ulimit -l";
            faults.refuse("register", new VerbsException("ibv_reg_mr", VerbsException.ENOMEM, reason));
            // The first is the memory of the channel itself.
            TransportException failure = failureOf(receive(workers, 1, KEY));
            assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
            assertThat(failure).hasMessageContaining(reason);
            faults.recover();
            transfer(workers, 2);
            faults.refuse("register", new VerbsException("ibv_reg_mr", VerbsException.ENOMEM, reason));
            var large = LoopbackWorkers.key(1, 0, "large");
            workers.worker(1)
                    .manager
                    .rendezvous(2)
                    .send(large, workers.worker(1).bytes(100 << 20, 1));
            failure = failureOf(receive(workers, 2, large));
            assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
            assertThat(failure).hasMessageContaining(reason);
            assertThat(failure.errno()).isEqualTo(VerbsException.ENOMEM);
            // Nothing else is lost.
            transfer(workers, 2);
            assertThat(workers.worker(0).adapter.counters().failed()).isZero();
        }
    }

    private static void awaitFailedChannel(LoopbackWorkers workers) {
        while (workers.worker(0).adapter.counters().failed() == 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /// The tensor arrives over another channel. It is sent when that is open: over the old one it may be written before
    /// worker 1 knows of the loss, and then it is lost too.
    private static void assertGoesOn(LoopbackWorkers workers, Future<RecvResult> waiting) throws Exception {
        while (workers.worker(1).adapter.counters().opened() < 2) {
            LockSupport.parkNanos(1_000_000);
        }
        workers.worker(1).manager.rendezvous(1).send(LATER, workers.worker(1).bytes(100, 2));
        waiting.get(30, TimeUnit.SECONDS).tensorOrThrow().close();
    }

    private static void assertMeetAgain(LoopbackWorkers workers) throws Exception {
        workers.worker(0).manager.closeStep(1);
        workers.worker(1).manager.closeStep(1);
        transfer(workers, 2);
        assertThat(workers.worker(0).adapter.counters().opened()).isGreaterThanOrEqualTo(2);
    }

    private static CompletableFuture<RecvResult> receive(LoopbackWorkers workers, long step, RendezvousKey key) {
        return workers.worker(0).manager.rendezvous(step).recvAsync(key);
    }

    private static void transfer(LoopbackWorkers workers, long step) throws Exception {
        workers.worker(1).manager.rendezvous(step).send(KEY, workers.worker(1).bytes(100, 1));
        receive(workers, step, KEY).get(30, TimeUnit.SECONDS).tensorOrThrow().close();
    }

    private static TransportException failureOf(CompletableFuture<RecvResult> receive) throws Exception {
        try {
            receive.get(30, TimeUnit.SECONDS).tensorOrThrow().close();
            throw new AssertionError("it was received");
        } catch (ExecutionException e) {
            return (TransportException) e.getCause();
        }
    }
}
