package io.tensorferry.verbs.loop;

/// How long a loop that found nothing to do should go on looking before it sleeps: learned from how long it slept.
///
/// A sleep and the wake-up from it cost several microseconds at both ends. Where work keeps coming sooner than the
/// limit, looking for it a little longer saves both; where it comes later, looking was in vain and took a processor
/// from somebody. So each short sleep doubles the time, up to the limit, and each long one halves it, down to nothing:
/// a loop at rest does not spin at all.
///
/// Owner: the loop's thread.
final class SpinTime {
    /// Under this, looking costs as much as it may save.
    private static final long SHORTEST_NS = 1_000;

    private final long mostNs;
    private long currentNs;

    /// @param mostNs the limit; 0 never to spin
    SpinTime(long mostNs) {
        this.mostNs = mostNs;
        this.currentNs = mostNs;
    }

    /// For how long to look now, nanoseconds.
    long currentNs() {
        return currentNs;
    }

    /// There was something to do after a sleep of so long.
    void slept(long ns) {
        if (ns <= mostNs) {
            currentNs = currentNs > mostNs / 2 ? mostNs : Math.min(mostNs, Math.max(SHORTEST_NS, 2 * currentNs));
        } else {
            currentNs = currentNs < 2 * SHORTEST_NS ? 0 : currentNs / 2;
        }
    }
}
