package io.tensorferry.grpc;

import java.time.Duration;

/// The end of a time that several waits share. Immutable.
final class Deadline {
    private final long endNs;

    /// Begins now.
    Deadline(Duration limit) {
        this.endNs = System.nanoTime() + limit.toNanos();
    }

    /// What is left, never less than nothing.
    Duration remaining() {
        return Duration.ofNanos(Math.max(0, endNs - System.nanoTime()));
    }

    boolean isOver() {
        return endNs - System.nanoTime() <= 0;
    }
}
