package io.tensorferry.grpc.peer;

import java.time.Duration;

/// The end of a time that several waits share. Immutable.
public final class Deadline {
    private final long endNs;

    /// Begins now.
    public Deadline(Duration limit) {
        this.endNs = System.nanoTime() + limit.toNanos();
    }

    /// What is left, never less than nothing.
    public Duration remaining() {
        return Duration.ofNanos(Math.max(0, endNs - System.nanoTime()));
    }

    public boolean isOver() {
        return endNs - System.nanoTime() <= 0;
    }
}
