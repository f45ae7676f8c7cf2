package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.loop.CompletionLoop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Monitors silence on one channel in both directions: sends a sign of life if this end has sent nothing else, and
/// detects a peer that vanished without notice.
///
/// Only arrivals from the peer's process count, because its device may answer for a process that is stopped.
///
/// Owner: the loop.
final class Keepalive {
    private final CompletionLoop loop;
    private final long intervalNs;
    private final long timeoutNs;
    private final long readyTimeoutNs;
    private final Runnable showLife;
    private final Runnable onSilent;
    // When the last arrival from the peer was, or when the channel was opened.
    private long heardAtNs;
    private boolean heard;
    // Whether the peer has reported that its end is ready, or this end does not need that report.
    private boolean ready;
    // Whether the peer has been sent something since the last check.
    private boolean spoke;
    private long dueNs;
    private CompletionLoop.@Nullable Timer timer;

    /// Starts monitoring.
    ///
    /// @param interval how long this end may be silent
    /// @param timeout how long the peer may be silent
    /// @param readyTimeout how long the peer may be silent before it is ready; until then this end may not write, so
    /// its device cannot detect a missing peer
    /// @param showLife runs when this end has sent nothing for an interval
    /// @param onSilent runs once, when the peer has been silent for the timeout
    Keepalive(
            CompletionLoop loop,
            Duration interval,
            Duration timeout,
            Duration readyTimeout,
            Runnable showLife,
            Runnable onSilent) {
        this.loop = loop;
        this.intervalNs = interval.toNanos();
        this.timeoutNs = timeout.toNanos();
        this.readyTimeoutNs = Math.min(timeoutNs, readyTimeout.toNanos());
        this.showLife = showLife;
        this.onSilent = onSilent;
        this.heardAtNs = loop.nanoTime();
        schedule();
    }

    /// Records an arrival from the peer; returns whether it is the first. [#heardNow()] follows once for all arrivals
    /// of one poll.
    boolean heard() {
        boolean first = !heard;
        heard = true;
        ready = true;
        return first;
    }

    /// Records that the peer is ready, so that this end may write.
    void ready() {
        ready = true;
    }

    /// Reads the clock for the arrivals of this poll.
    void heardNow() {
        heardAtNs = loop.nanoTime();
    }

    boolean hasHeard() {
        return heard;
    }

    /// Records that something was sent that the peer's process notices.
    void spoke() {
        spoke = true;
    }

    void stop() {
        if (timer != null) {
            timer.cancel();
        }
    }

    private void schedule() {
        long nowNs = loop.nanoTime();
        long untilDeadNs = Math.max(0, heardAtNs + silenceNs() - nowNs);
        long delayNs = Math.min(intervalNs, untilDeadNs);
        dueNs = nowNs + delayNs;
        timer = loop.schedule(delayNs, this::look);
    }

    /// How long the peer may be silent.
    private long silenceNs() {
        return ready ? timeoutNs : readyTimeoutNs;
    }

    private void look() {
        long nowNs = loop.nanoTime();
        if (nowNs - dueNs > intervalNs) {
            // This process was suspended itself and has not processed what arrived meanwhile.
            heardAtNs = nowNs;
        }
        if (nowNs - heardAtNs >= silenceNs()) {
            onSilent.run();
            return;
        }
        if (!spoke) {
            showLife.run();
        }
        spoke = false;
        schedule();
    }
}
