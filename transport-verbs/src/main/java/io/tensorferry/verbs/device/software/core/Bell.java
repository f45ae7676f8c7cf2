package io.tensorferry.verbs.device.software.core;

/// Wakes a sleeping thread.
///
/// Threading: one thread waits at a time; any thread rings.
public interface Bell extends AutoCloseable {
    /// Sleeps until the bell rings, the timeout elapses, or the thread is interrupted. Returns at once if the bell rang
    /// since the last wait.
    ///
    /// @param timeoutNs nanoseconds, 0 or more
    void await(long timeoutNs);

    void ring();

    /// Releases the bell. No thread may be waiting.
    @Override
    void close();
}
