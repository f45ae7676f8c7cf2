package io.tensorferry.verbs.rendezvous;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The deadline of one receive, from its start until the receive has ended.
///
/// Threading: any thread; the end may come before the start has returned.
public final class ReceiveDeadline {
    /// A century: longer deadlines are treated as none.
    private static final long NEVER_NS = TimeUnit.DAYS.toNanos(36_500);

    /// Cancels the timer; null before the start, [Over#OVER] after the end.
    private final AtomicReference<@Nullable Runnable> callOff = new AtomicReference<>();

    private enum Over implements Runnable {
        OVER;

        @Override
        public void run() {
            // There is no timer to cancel.
        }
    }

    /// Schedules `onPassed` for when `timeout` has passed, unless the receive ends before. A timeout of 0 or less
    /// expires at once.
    public void start(ReceiveTimer timer, Duration timeout, Runnable onPassed) {
        // Not toNanos(), which throws for durations above 292 years.
        long delayNs = Math.max(0, TimeUnit.NANOSECONDS.convert(timeout));
        if (delayNs >= NEVER_NS || callOff.get() != null) {
            return;
        }
        Runnable cancel = timer.schedule(delayNs, onPassed);
        if (!callOff.compareAndSet(null, cancel)) {
            cancel.run();
        }
    }

    /// Cancels the deadline because the receive has ended.
    public void end() {
        Runnable cancel = callOff.getAndSet(Over.OVER);
        if (cancel != null) {
            cancel.run();
        }
    }
}
