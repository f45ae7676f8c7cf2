package io.tensorferry.api;

/// Told how one receive ended.
@FunctionalInterface
public interface DoneCallback {
    /// Runs exactly once for each receive, on the transport's callback executor, with no lock held. It may block,
    /// and may call the rendezvous. It owns the tensor in `result`. What it throws is logged and changes nothing.
    void done(RecvResult result);
}
