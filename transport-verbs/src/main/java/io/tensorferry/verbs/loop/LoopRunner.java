package io.tensorferry.verbs.loop;

/// Who turns a completion loop: a thread of its own, or a simulation.
public interface LoopRunner {
    void start(CompletionLoop loop);

    /// Has `last` run on the loop after the commands given so far, and then turns the loop no more; when this
    /// returns the caller owns the loop. Not to be called on the loop.
    void stop(Runnable last);
}
