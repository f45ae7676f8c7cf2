package io.tensorferry.verbs.rendezvous;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// Keeps time for the receives that have a deadline: one for all of a worker, no thread for each.
@FunctionalInterface
public interface ReceiveTimer {
    /// Has `action` run once, `delayNs` nanoseconds from now, on a thread of the timer's; it is short and never
    /// waits. Any thread.
    ///
    /// @param delayNs 0 or more
    /// @return calls it off, unless it has run; any thread
    Runnable schedule(long delayNs, Runnable action);

    /// A timer on an executor, which stays the caller's. What is asked for after its end never runs.
    static ReceiveTimer of(ScheduledExecutorService executor) {
        return (delayNs, action) -> {
            try {
                Future<?> scheduled = executor.schedule(action, delayNs, TimeUnit.NANOSECONDS);
                return () -> scheduled.cancel(false);
            } catch (RejectedExecutionException _) {
                // The worker has stopped: all receives have ended.
                return () -> {};
            }
        };
    }
}
