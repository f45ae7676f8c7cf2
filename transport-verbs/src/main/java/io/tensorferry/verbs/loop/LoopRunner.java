package io.tensorferry.verbs.loop;

/// Turns a completion loop: on a dedicated thread, or in a simulation.
public interface LoopRunner {
    void start(CompletionLoop loop);

    /// Runs `last` on the loop after the commands given so far, and then stops turning the loop. When this returns, the
    /// caller owns the loop. Must not be called on the loop.
    void stop(Runnable last);
}
