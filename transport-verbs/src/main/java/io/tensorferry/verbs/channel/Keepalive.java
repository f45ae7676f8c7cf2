package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.loop.CompletionLoop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Watches over the silence on one channel, in both directions: has this end say that it lives when it has said nothing
/// else, and finds a peer that went without a word.
///
/// Only what the peer's process itself has sent counts: its device may answer for a process that is stopped.
///
/// Owner: the loop.
final class Keepalive {
    private final CompletionLoop loop;
    private final long intervalNs;
    private final long timeoutNs;
    private final long readyTimeoutNs;
    private final Runnable showLife;
    private final Runnable onSilent;
    // When something of the peer arrived last, or the channel was opened.
    private long heardAtNs;
    private boolean heard;
    // Whether the peer has said that its end is ready, or this end need not know.
    private boolean ready;
    // Whether the peer has been sent something since the last look.
    private boolean spoke;
    private long dueNs;
    private CompletionLoop.@Nullable Timer timer;

    /// Starts to watch.
    ///
    /// @param interval how long this end may say nothing
    /// @param timeout how long the peer may
    /// @param readyTimeout how long the peer may do so before it is ready: until then this end may not write, so that
    ///     its device cannot find out whether the peer is there
    /// @param showLife runs when this end has said nothing for an interval
    /// @param onSilent runs once, when the peer has said nothing for the timeout
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

    /// Something of the peer has arrived; returns whether it is the first. [#heardNow()] follows once for all that one
    /// poll has brought.
    boolean heard() {
        boolean first = !heard;
        heard = true;
        ready = true;
        return first;
    }

    /// The peer is ready, so that this end may write.
    void ready() {
        ready = true;
    }

    /// Looks at the clock for what arrived.
    void heardNow() {
        heardAtNs = loop.nanoTime();
    }

    boolean hasHeard() {
        return heard;
    }

    /// The peer was sent something that its process notices.
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

    /// How long the peer may say nothing.
    private long silenceNs() {
        return ready ? timeoutNs : readyTimeoutNs;
    }

    private void look() {
        long nowNs = loop.nanoTime();
        if (nowNs - dueNs > intervalNs) {
            // This process stood still itself, and has not looked at what came meanwhile.
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
