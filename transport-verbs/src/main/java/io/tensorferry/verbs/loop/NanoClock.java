package io.tensorferry.verbs.loop;

/// The loop's clock: the system's, or a simulation's.
@FunctionalInterface
public interface NanoClock {
    /// Nanoseconds since a fixed moment; never decreases.
    long nanoTime();
}
