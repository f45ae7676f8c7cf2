package io.tensorferry.verbs.device;

/// Where finished work requests are reported, oldest first.
///
/// Threading: polled by one thread at a time; the device fills it from its own.
public interface CompletionQueue extends AutoCloseable {
    /// Takes up to `maximum` completions, as long as `handler` wants more, and gives each to it on the calling thread;
    /// never waits.
    ///
    /// @return how many were taken
    /// @throws VerbsException if the completion queue has failed (overrun)
    int poll(int maximum, WorkCompletionHandler handler);

    /// Asks for one event on the completion channel when the next completion is added. Completions that are there
    /// already raise none, so poll once more afterwards.
    void requestNotification();

    /// Completions that it holds at once.
    int capacity();

    /// @throws VerbsException if queue pairs still use it
    @Override
    void close();
}
