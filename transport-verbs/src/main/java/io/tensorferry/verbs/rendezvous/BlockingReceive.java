package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Blocks the calling thread until its receive ends. No user callback runs; the thread that ends the receive unparks
/// the waiting thread directly.
///
/// Threading: [#done] from any thread, [#await] from the thread that created the object.
public final class BlockingReceive implements RemoteReceive.Immediate {
    // Marks a result that is no longer wanted.
    private static final RecvResult UNWANTED = new RecvResult.Dead();

    private final Thread waiter = Thread.currentThread();
    private final AtomicReference<@Nullable RecvResult> result = new AtomicReference<>();

    @Override
    public void done(RecvResult ended) {
        if (result.compareAndSet(null, ended)) {
            LockSupport.unpark(waiter);
        } else if (ended instanceof RecvResult.Received(Tensor tensor)) {
            tensor.close();
        }
    }

    /// Waits for at most `timeout`. The caller owns the tensor in the result.
    ///
    /// @param obstacle describes why this worker cannot reach the producer, or null
    /// @return `Received` or `Dead`
    /// @throws TransportException the cause that ended the receive; `DEADLINE_EXCEEDED` after `timeout`
    /// @throws InterruptedException if this thread was interrupted; the receive is cancelled
    public RecvResult await(
            PendingReceive receive, RendezvousKey key, Duration timeout, Supplier<@Nullable String> obstacle)
            throws InterruptedException {
        // Not toNanos(), which throws for durations above 292 years.
        long timeoutNs = Math.max(0, TimeUnit.NANOSECONDS.convert(timeout));
        long startNs = System.nanoTime();
        boolean late = false;
        while (true) {
            RecvResult ended = result.get();
            if (ended != null) {
                if (ended instanceof RecvResult.Failed(TransportException cause)) {
                    throw cause;
                }
                return ended;
            }
            if (Thread.interrupted()) {
                receive.cancel();
                discard();
                throw new InterruptedException();
            }
            long leftNs = timeoutNs - (System.nanoTime() - startNs);
            if (late) {
                // The receive ended between the timeout and the cancellation: its result will arrive.
                LockSupport.park(this);
            } else if (leftNs > 0) {
                LockSupport.parkNanos(this, leftNs);
            } else {
                late = true;
                if (receive.cancel()) {
                    throw RemoteReceive.deadlinePassed(key, timeout, obstacle.get());
                }
            }
        }
    }

    private void discard() {
        RecvResult ended = result.getAndSet(UNWANTED);
        if (ended instanceof RecvResult.Received(Tensor tensor)) {
            tensor.close();
        }
    }
}
