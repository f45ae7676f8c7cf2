package io.tensorferry.verbs.link;

import io.tensorferry.verbs.loop.CompletionLoop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// How long the set-up of one link may take. It starts when somebody begins to wait and ends when the peer was heard on
/// a channel, or when the link gives up: the time of one set-up never reaches into the next.
///
/// Owner: the loop.
final class Patience {
    private final CompletionLoop loop;
    private final Runnable onOver;
    private Duration limit = Duration.ZERO;
    private boolean extended;
    private CompletionLoop.@Nullable Timer timer;

    /// @param onOver runs when the time is up, unless it was stopped before
    Patience(CompletionLoop loop, Runnable onOver) {
        this.loop = loop;
        this.onOver = onOver;
    }

    /// Starts, from the beginning if it was running.
    void start(Duration newLimit) {
        stop();
        limit = newLimit;
        timer = loop.schedule(newLimit.toNanos(), onOver);
    }

    /// The time is up, and so much is added, once.
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

    /// Whether it was started and not stopped since; also when its time is up.
    boolean isRunning() {
        return timer != null;
    }

    /// Whether only the extension is left.
    boolean isExtended() {
        return extended;
    }

    /// As it was started with.
    Duration limit() {
        return limit;
    }

    /// Whether more than `duration` is left.
    boolean isLongerThan(Duration duration) {
        return timer != null && timer.dueNs() - loop.nanoTime() > duration.toNanos();
    }
}
