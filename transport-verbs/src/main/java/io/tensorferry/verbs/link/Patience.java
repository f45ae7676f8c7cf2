package io.tensorferry.verbs.link;

import io.tensorferry.verbs.loop.CompletionLoop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The time limit for the set-up of one link. It starts when a waiter is added, and ends when an arrival from the peer
/// confirms the channel, or when the link gives up. The time of one set-up never extends into the next.
///
/// Owner: the loop.
final class Patience {
    private final CompletionLoop loop;
    private final Runnable onOver;
    private Duration limit = Duration.ZERO;
    private boolean extended;
    private CompletionLoop.@Nullable Timer timer;

    /// @param onOver runs when the time has expired, unless it was stopped before
    Patience(CompletionLoop loop, Runnable onOver) {
        this.loop = loop;
        this.onOver = onOver;
    }

    /// Starts the time; restarts it if it was running.
    void start(Duration newLimit) {
        stop();
        limit = newLimit;
        timer = loop.schedule(newLimit.toNanos(), onOver);
    }

    /// Adds an extension, once, after the time has expired.
    void extend(long nanoseconds) {
        stop();
        extended = true;
        timer = loop.schedule(nanoseconds, onOver);
    }

    void stop() {
        extended = false;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /// Whether it was started and not stopped since, even if the time has expired.
    boolean isRunning() {
        return timer != null;
    }

    /// Whether only the extension is left.
    boolean isExtended() {
        return extended;
    }

    /// The limit given to [#start].
    Duration limit() {
        return limit;
    }

    /// Whether more than `duration` is left.
    boolean isLongerThan(Duration duration) {
        return timer != null && timer.dueNs() - loop.nanoTime() > duration.toNanos();
    }
}
