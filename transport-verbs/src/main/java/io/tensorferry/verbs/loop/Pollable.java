package io.tensorferry.verbs.loop;

/// An open channel, which the loop polls in every turn. The loop isolates channels from each other: an exception of any
/// method ends this one alone, through [#fail].
///
/// Owner: the loop, which calls every method.
public interface Pollable {
    /// Takes arrived completions, at most [TurnBudget#PER_TURN] units of work. Returns the amount of work done.
    int poll();

    /// Posts waiting requests, if any were added since the last call.
    void pumpIfWanted();

    /// Requests a notification of the next completion, because the loop is about to sleep.
    void requestNotification();

    /// Ends the channel after `mistake` escaped from another method.
    void fail(Throwable mistake);
}
