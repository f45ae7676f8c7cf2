package io.tensorferry.verbs.device;

/// Blocks a thread until a completion queue has a completion (`ibv_comp_channel`).
public interface CompletionChannel extends AutoCloseable {
    /// Waits for a completion event of any queue on this channel, for [#wakeUp()], or for the timeout. Events that
    /// arrived before the call end the wait at once. Consumes all pending events. Threading: one thread at a time.
    ///
    /// @param timeoutNs nanoseconds, 0 or more
    void await(long timeoutNs);

    /// Ends the current wait, or else the next one. Threading: any thread.
    void wakeUp();

    /// @throws VerbsException if completion queues still use it
    @Override
    void close();
}
