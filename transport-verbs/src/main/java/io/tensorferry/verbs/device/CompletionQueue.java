package io.tensorferry.verbs.device;

/// Reports completed work requests, oldest first (`ibv_cq`).
///
/// Threading: one thread at a time polls; the device adds completions from its own threads.
public interface CompletionQueue extends AutoCloseable {
    /// Polls up to `maximum` completions, as long as `handler` wants more, and passes each to it on the calling thread.
    /// Never blocks.
    ///
    /// @return the number of completions polled
    /// @throws VerbsException if the completion queue has failed (overrun)
    int poll(int maximum, WorkCompletionHandler handler);

    /// Requests one event on the completion channel when the next completion is added. Completions already in the queue
    /// raise no event, so poll once more afterwards.
    void requestNotification();

    /// The number of completions that the queue can hold.
    int capacity();

    /// @throws VerbsException if queue pairs still use it
    @Override
    void close();
}
