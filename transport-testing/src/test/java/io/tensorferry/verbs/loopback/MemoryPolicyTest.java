package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.MemoryOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Receives of a worker whose registered memory is all in use, and whose options make it wait: the receive waits, and
/// neither the caller nor the loop does.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MemoryPolicyTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final Duration LONG = Duration.ofSeconds(40);

    /// Room for the rings of a channel and some tensors.
    private static MemoryOptions options(Duration wait) {
        return new MemoryOptions(MEBIBYTE, 12 * MEBIBYTE).withWaitAtLimit(wait);
    }

    private static CompletableFuture<RecvResult> receive(LoopbackWorkers workers, String edge) {
        return workers.worker(0).manager.rendezvous(1).recvAsync(LoopbackWorkers.key(1, 0, edge));
    }

    private static void send(LoopbackWorkers workers, String edge, int size) {
        var sender = workers.worker(1);
        sender.manager.rendezvous(1).send(LoopbackWorkers.key(1, 0, edge), sender.bytes(size, 1));
    }

    private static void transfer(LoopbackWorkers workers, String edge, int size) throws Exception {
        send(workers, edge, size);
        receive(workers, edge).get(30, TimeUnit.SECONDS).tensorOrThrow().close();
    }

    /// Allocates the rest of worker 0's memory, to the last mebibyte.
    private static List<Tensor> exhaust(LoopbackWorkers workers) {
        var taken = new ArrayList<Tensor>();
        try {
            while (true) {
                taken.add(workers.worker(0)
                        .adapter
                        .memory()
                        .allocatorNow()
                        .allocate(DataType.UINT8, Shape.of(MEBIBYTE / 4)));
            }
        } catch (TransportException e) {
            assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        }
        return taken;
    }

    @Test
    void aReceiveWaitsForMemoryAndItsCallerDoesNot() throws Exception {
        try (var workers = new LoopbackWorkers(options(LONG))) {
            transfer(workers, "warm", MEBIBYTE / 2);
            transfer(workers, "small", 0);
            List<Tensor> taken = exhaust(workers);
            send(workers, "warm", MEBIBYTE / 2);
            send(workers, "cold", MEBIBYTE / 2);
            long start = System.nanoTime();
            var warm = receive(workers, "warm");
            var cold = receive(workers, "cold");
            assertThat(System.nanoTime() - start).as("ns of two calls").isLessThan(LONG.toNanos() / 4);
            // The loop does not wait either: work that needs no memory goes on.
            transfer(workers, "small", 0);
            LockSupport.parkNanos(100_000_000);
            assertThat(warm).isNotDone();
            assertThat(cold).isNotDone();
            taken.forEach(Tensor::close);
            warm.get(30, TimeUnit.SECONDS).tensorOrThrow().close();
            cold.get(30, TimeUnit.SECONDS).tensorOrThrow().close();
            assertThat(workers.worker(0).adapter.counters().failed()).isZero();
        }
    }

    @Test
    void aReceiveThatWaitsTooLongIsExhausted() throws Exception {
        try (var workers = new LoopbackWorkers(options(Duration.ofMillis(100)))) {
            transfer(workers, "warm", MEBIBYTE / 2);
            List<Tensor> taken = exhaust(workers);
            send(workers, "warm", MEBIBYTE / 2);
            assertCode(receive(workers, "warm"), StatusCode.RESOURCE_EXHAUSTED);
            taken.forEach(Tensor::close);
            transfer(workers, "warm", MEBIBYTE / 2);
        }
    }

    @Test
    void aReceiveThatWaitsIsCancelledAsAnyOther() throws Exception {
        try (var workers = new LoopbackWorkers(options(LONG))) {
            transfer(workers, "warm", MEBIBYTE / 2);
            List<Tensor> taken = exhaust(workers);
            send(workers, "warm", MEBIBYTE / 2);
            var deadline = workers.worker(0)
                    .manager
                    .rendezvous(1)
                    .recvAsync(LoopbackWorkers.key(1, 0, "warm"), Duration.ofMillis(100));
            assertCode(deadline, StatusCode.DEADLINE_EXCEEDED);
            taken.forEach(Tensor::close);
            transfer(workers, "warm", MEBIBYTE / 2);
        }
    }

    @Test
    void aWorkerThatStopsDoesNotWaitForMemory() throws Exception {
        List<Tensor> taken;
        CompletableFuture<RecvResult> waiting;
        long start;
        try (var workers = new LoopbackWorkers(options(LONG))) {
            transfer(workers, "warm", MEBIBYTE / 2);
            taken = exhaust(workers);
            send(workers, "warm", MEBIBYTE / 2);
            waiting = receive(workers, "warm");
            LockSupport.parkNanos(100_000_000);
            assertThat(waiting).isNotDone();
            start = System.nanoTime();
        }
        assertThat(System.nanoTime() - start).as("ns until it has stopped").isLessThan(LONG.toNanos() / 2);
        assertCode(waiting, StatusCode.ABORTED);
        taken.forEach(Tensor::close);
    }

    private static void assertCode(CompletableFuture<RecvResult> receive, StatusCode code) {
        try {
            receive.orTimeout(30, TimeUnit.SECONDS).join().tensorOrThrow().close();
            throw new AssertionError("it was received");
        } catch (CompletionException e) {
            assertThat(((TransportException) e.getCause()).code()).isEqualTo(code);
        }
    }
}
