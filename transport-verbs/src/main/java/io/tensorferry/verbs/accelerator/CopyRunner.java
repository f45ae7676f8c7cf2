package io.tensorferry.verbs.accelerator;

/// Who does the work of a copy queue: a thread of its own, or a simulation.
public interface CopyRunner {
    void start(CopyQueue queue);

    /// Something was given to the queue. Any thread.
    void wake();

    /// Ends the queue, when what it copies is copied; the caller owns it then.
    void stop();
}
