package io.tensorferry.verbs.loop;

/// Computes how long an idle loop spins before it sleeps, from the durations of its earlier sleeps.
///
/// A sleep and its wake-up cost several microseconds at both ends. If work arrives sooner than the limit, a little more
/// spinning saves both; if it arrives later, the spinning only took a processor from another thread. So each short
/// sleep doubles the time, up to the limit, and each long sleep halves it, down to 0: an idle loop does not spin at
/// all.
///
/// Owner: the loop's thread.
final class SpinTime {
    /// Below this, spinning costs as much as it may save.
    private static final long SHORTEST_NS = 1_000;

    private final long mostNs;
    private long currentNs;

    /// @param mostNs the limit in nanoseconds; 0 disables spinning
    SpinTime(long mostNs) {
        this.mostNs = mostNs;
        this.currentNs = mostNs;
    }

    /// The current spin time in nanoseconds.
    long currentNs() {
        return currentNs;
    }

    /// Records a sleep of `ns` nanoseconds that ended with work to do.
    void slept(long ns) {
        if (ns <= mostNs) {
            currentNs = currentNs > mostNs / 2 ? mostNs : Math.min(mostNs, Math.max(SHORTEST_NS, 2 * currentNs));
        } else {
            currentNs = currentNs < 2 * SHORTEST_NS ? 0 : currentNs / 2;
        }
    }
}
