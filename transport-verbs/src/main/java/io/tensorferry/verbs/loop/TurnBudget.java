package io.tensorferry.verbs.loop;

/// The work that one channel may still do in this turn of the loop. For receiving, one unit is spent for each
/// completion, each message after the first of a slot, and each content that a completion covers. For sending, the
/// encoded messages are counted. Work beyond the budget waits, in order, for the next turn.
///
/// Owner: the loop.
public final class TurnBudget {
    /// Units of one channel in one turn. The last completion taken may exceed it by the contents of one list of send
    /// requests.
    public static final int PER_TURN = 256;

    /// Messages that may be encoded between two calls of [#begin]; the last slot may exceed it by its own messages.
    public static final int MESSAGES_PER_TURN = 256;

    private int left;
    private int done;
    private int messagesLeft = MESSAGES_PER_TURN;

    /// Creates the budget of a channel that has had no turn yet.
    public TurnBudget() {}

    public void begin(int units) {
        left = units;
        done = 0;
        messagesLeft = MESSAGES_PER_TURN;
    }

    public void spend() {
        left--;
        done++;
    }

    public boolean isLeft() {
        return left > 0;
    }

    /// Messages that may still be encoded, 0 or more.
    public int messagesLeft() {
        return messagesLeft;
    }

    public void encoded(int messages) {
        messagesLeft = Math.max(0, messagesLeft - messages);
    }

    /// Units spent since the last [#begin].
    public int done() {
        return done;
    }
}
