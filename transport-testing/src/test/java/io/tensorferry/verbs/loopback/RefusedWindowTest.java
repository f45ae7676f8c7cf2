package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.wire.WorkKind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A device that does not bind a window fails the receive that needs it, once, and no other receive.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RefusedWindowTest {
    private static final int MOST = 64 << 10;
    private static final int SMALL = 5000;
    private static final int LARGE = 1 << 20;

    private final FaultyDevice device = new FaultyDevice();

    @Test
    void aBindThatIsRefusedWhenItIsPostedFailsItsReceiveAndTheChannelStays() throws Exception {
        device.refuseBindsOver(MOST);
        try (var workers = new LoopbackWorkers(device, RemoteKeyScope.REQUEST)) {
            transfer(workers, 1, "first", SMALL);
            CompletableFuture<RecvResult> innocent = receive(workers, 1, "innocent");
            // The first is requested again with memory, the second names memory at once.
            for (int step = 2; step <= 3; step++) {
                send(workers, step, "large", LARGE);
                TransportException failure = failureOf(receive(workers, step, "large"));
                assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
                assertThat(failure.errno()).isEqualTo(VerbsException.EOPNOTSUPP);
                assertThat(failure.peer()).isEqualTo(LoopbackWorkers.name(1));
                assertThat(failure).hasMessageContaining("memory window of " + LARGE + " bytes");
            }
            assertThat(device.refusedBinds()).as("binds that were posted").isEqualTo(2);
            send(workers, 1, "innocent", SMALL);
            innocent.get(30, TimeUnit.SECONDS).tensorOrThrow().close();
            transfer(workers, 4, "first", SMALL);
            assertThat(workers.worker(0).adapter.counters().failed())
                    .as("channels that were lost")
                    .isZero();
        }
    }

    @Test
    void aBindThatEndsTheChannelFailsItsReceiveAndTheOthersGoOn() throws Exception {
        try (var workers = new LoopbackWorkers(device, RemoteKeyScope.REQUEST)) {
            transfer(workers, 1, "first", SMALL);
            CompletableFuture<RecvResult> innocent = receive(workers, 1, "innocent");
            device.failNextCompletion(WorkKind.BIND, WorkStatus.MW_BIND_ERR, 0x81);
            send(workers, 1, "culprit", LARGE);
            TransportException failure = failureOf(receive(workers, 1, "culprit"));
            assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
            assertThat(failure.verbsStatus()).isEqualTo("MW_BIND_ERR, vendor error 0x81");
            while (workers.worker(1).adapter.counters().opened() < 2) {
                LockSupport.parkNanos(1_000_000);
            }
            send(workers, 1, "innocent", SMALL);
            innocent.get(30, TimeUnit.SECONDS).tensorOrThrow().close();
            transfer(workers, 2, "culprit", LARGE);
            assertThat(workers.worker(0).adapter.counters().failed())
                    .as("channels that were lost")
                    .isEqualTo(1);
        }
    }

    private static void transfer(LoopbackWorkers workers, long step, String edge, int size) throws Exception {
        send(workers, step, edge, size);
        receive(workers, step, edge).get(30, TimeUnit.SECONDS).tensorOrThrow().close();
    }

    private static void send(LoopbackWorkers workers, long step, String edge, int size) {
        var sender = workers.worker(1);
        sender.manager.rendezvous(step).send(LoopbackWorkers.key(1, 0, edge), sender.bytes(size, 7));
    }

    private static CompletableFuture<RecvResult> receive(LoopbackWorkers workers, long step, String edge) {
        return workers.worker(0).manager.rendezvous(step).recvAsync(LoopbackWorkers.key(1, 0, edge));
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
