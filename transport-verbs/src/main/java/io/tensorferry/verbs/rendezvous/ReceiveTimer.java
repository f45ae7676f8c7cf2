package io.tensorferry.verbs.rendezvous;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// Schedules the deadlines of receives; one timer serves all receives of a worker.
@FunctionalInterface
public interface ReceiveTimer {
    /// Schedules `action` to run once, `delayNs` nanoseconds from now, on a timer thread. The action must be short and
    /// must not block. Any thread.
    ///
    /// @param delayNs 0 or more
    /// @return cancels the action unless it has run; any thread
    Runnable schedule(long delayNs, Runnable action);

    /// Creates a timer on an executor, which the caller keeps owning. Actions scheduled after its shutdown never run.
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
