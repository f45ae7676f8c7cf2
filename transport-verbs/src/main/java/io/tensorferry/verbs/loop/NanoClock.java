package io.tensorferry.verbs.loop;

/// Time as the loop sees it: the system's, or a simulation's.
@FunctionalInterface
public interface NanoClock {
    /// Nanoseconds since some fixed moment; never goes back.
    long nanoTime();
}
