package io.tensorferry.verbs.link;

import java.util.random.RandomGenerator;

/// Exponential backoff with jitter: each pause is up to twice as long as the one before, up to a bound, and drawn at
/// random from the upper half, so that peers disconnected at once do not reconnect at once.
///
/// Owner: the loop.
final class Backoff {
    private static final long FIRST_NS = 20_000_000L;

    private long nextNs = FIRST_NS;

    void reset() {
        nextNs = FIRST_NS;
    }

    /// The next pause in nanoseconds.
    ///
    /// @param longestNs bound of the pauses after this one
    long next(long longestNs, RandomGenerator random) {
        long pauseNs = nextNs / 2 + random.nextLong(nextNs / 2 + 1);
        nextNs = Math.min(longestNs, nextNs * 2);
        return pauseNs;
    }
}
