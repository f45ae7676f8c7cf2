package io.tensorferry.grpc.peer;

import java.time.Duration;

/// A point in time shared by several waits. Immutable.
public final class Deadline {
    private final long endNs;

    /// Starts now.
    ///
    /// @param limit the time until the deadline
    public Deadline(Duration limit) {
        this.endNs = System.nanoTime() + limit.toNanos();
    }

    /// The time until the deadline; zero once it has passed.
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, endNs - System.nanoTime()));
    }

    /// Whether the deadline has passed.
    public boolean isOver() {
        return endNs - System.nanoTime() <= 0;
    }
}
