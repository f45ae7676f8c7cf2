package io.tensorferry.verbs.device;

/// Where a thread sleeps until a completion queue has something.
public interface CompletionChannel extends AutoCloseable {
    /// Waits for a completion event of any queue on this channel, for [#wakeUp()], or for the time to pass. Events
    /// that came earlier and were not waited for end the wait at once; all of them are taken. One thread at a time.
    ///
    /// @param timeoutNs nanoseconds, 0 or more
    void await(long timeoutNs);

    /// Ends the wait that is going on, or else the next one. Any thread.
    void wakeUp();

    /// @throws VerbsException if completion queues still use it
    @Override
    void close();
}
