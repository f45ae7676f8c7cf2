package io.tensorferry.api;

/// Receives the result of one receive.
@FunctionalInterface
public interface DoneCallback {
    /// Runs exactly once per receive, on the transport's callback executor, with no lock held.
    ///
    /// It may block and may call the rendezvous. It owns the tensor in `result`. Its exceptions are logged and have no
    /// other effect.
    void done(RecvResult result);
}
