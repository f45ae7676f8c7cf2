package io.tensorferry.verbs.loop;

/// What a loop polls in every turn: an open channel. The loop isolates one from the others: an exception out of any
/// method ends this one alone, by [#fail].
///
/// Owner: the loop, which calls every method.
public interface Pollable {
    /// Takes what has arrived, at most [TurnBudget#PER_TURN] units of it. Returns how much there was to do.
    int poll();

    /// Posts what waits, if anything was added since the last time.
    void pumpIfWanted();

    /// Requests a notification of the next completion: the loop is about to sleep.
    void requestNotification();

    /// Ends this, because `mistake` escaped from one of the other methods.
    void fail(Throwable mistake);
}
