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

/// A thread that waits for its own receive: no callback of the user's runs, so whoever ends the receive wakes the
/// thread itself.
///
/// Threading: [#done] from any thread, [#await] from the one that made this.
public final class BlockingReceive implements RemoteReceive.Immediate {
    // Stands for a result that nobody wants any more.
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

    /// Waits, at most `timeout`. The caller owns the tensor in the result.
    ///
    /// @param obstacle what keeps this worker from reaching the producer, or null
    /// @return `Received` or `Dead`
    /// @throws TransportException what ended the receive; `DEADLINE_EXCEEDED` after `timeout`
    /// @throws InterruptedException if this thread was interrupted; the receive is cancelled
    public RecvResult await(
            PendingReceive receive, RendezvousKey key, Duration timeout, Supplier<@Nullable String> obstacle)
            throws InterruptedException {
        // Not toNanos(), which refuses what 292 years do not hold.
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
                // It ended between the timeout and the cancellation: its result is on the way.
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
