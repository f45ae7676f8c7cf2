package io.tensorferry.verbs.channel;

/// Who turns a completion loop: a thread of its own, or a simulation.
public interface LoopRunner {
    void start(CompletionLoop loop);

    /// Stops turning the loop; when this returns nobody is inside it. Not to be called on the loop.
    void stop();
}
