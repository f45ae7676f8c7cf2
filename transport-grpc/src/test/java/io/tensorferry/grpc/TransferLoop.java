package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// Sends tensors from one worker to another, one after the other, and checks every element of each, until a
/// stop. The first failure ends the loop.
final class TransferLoop {
    private static final int ELEMENTS = 64 << 10;
    private static final long STEP = 5;

    private final TransportServer from;
    private final TransportServer to;
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicInteger done = new AtomicInteger();
    private final CompletableFuture<Integer> result = new CompletableFuture<>();

    private TransferLoop(TransportServer from, TransportServer to) {
        this.from = from;
        this.to = to;
    }

    static TransferLoop start(TransportServer from, TransportServer to) {
        var loop = new TransferLoop(from, to);
        Thread.ofPlatform().daemon().name("transfer-loop").start(loop::run);
        return loop;
    }

    private void run() {
        try {
            while (!stop.get()) {
                transfer(from, to, STEP, done.get());
                done.incrementAndGet();
            }
            result.complete(done.get());
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    /// One tensor whose elements are `seed`, `seed + 1`, ...
    static void transfer(TransportServer from, TransportServer to, long step, int seed) {
        var key = TestCluster.key(from, to, "loop-" + seed);
        Tensor sent = from.allocator().allocate(DataType.INT32, Shape.of(ELEMENTS));
        for (int i = 0; i < ELEMENTS; i++) {
            sent.segment().setAtIndex(ValueLayout.JAVA_INT, i, seed + i);
        }
        from.rendezvous(step).send(key, sent);
        try (Tensor received = to.rendezvous(step)
                .recvAsync(key)
                .orTimeout(20, TimeUnit.SECONDS)
                .join()
                .tensorOrThrow()) {
            int[] elements = received.toIntArray();
            assertThat(elements).hasSize(ELEMENTS);
            for (int i = 0; i < ELEMENTS; i++) {
                if (elements[i] != seed + i) {
                    throw new AssertionError("element " + i + " of tensor " + seed + " is " + elements[i]);
                }
            }
        }
    }

    int count() {
        return done.get();
    }

    /// Waits for `more` transfers, to show that the loop goes on.
    void awaitMore(int more) throws Exception {
        int wanted = count() + more;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (count() < wanted) {
            assertThat(result).as("the loop runs").isNotCompletedExceptionally();
            assertThat(System.nanoTime()).as("in time").isLessThan(end);
            Thread.sleep(2);
        }
    }

    /// Ends the loop; returns the number of transfers, all of them correct.
    int end() throws Exception {
        stop.set(true);
        return result.get(30, TimeUnit.SECONDS);
    }
}
