package io.tensorferry.verbs.accelerator;

/// Drives a copy queue: a dedicated thread, or a simulation.
public interface CopyRunner {
    void start(CopyQueue queue);

    /// Signals that a task was submitted. Threading: any thread.
    void wake();

    /// Ends the queue once its copies have completed; the caller owns the queue then.
    void stop();
}
