package io.tensorferry.verbs.device.software.core;

/// What a thread sleeps on until somebody rings.
///
/// Threading: one thread waits at a time; any thread rings.
public interface Bell extends AutoCloseable {
    /// Sleeps until it rings, or the time has passed, or the thread is interrupted. What rang since the last wait ends
    /// this one at once.
    ///
    /// @param timeoutNs nanoseconds, 0 or more
    void await(long timeoutNs);

    void ring();

    /// When nobody waits any more.
    @Override
    void close();
}
