package io.tensorferry.verbs.loop;

/// How much work one channel may still do in this turn of the loop. Of what comes a unit for each completion, for each
/// message behind the first of a slot and for each content that a completion tells of; and of what goes the messages
/// that are encoded. What is left over waits in its place and order for the next turn.
///
/// Owner: the loop.
public final class TurnBudget {
    /// Units of one channel in one turn. The last completion that is taken may pass it by what one list of send
    /// requests carries.
    public static final int PER_TURN = 256;

    /// Messages that are encoded between two [#begin], and those of one slot more.
    public static final int MESSAGES_PER_TURN = 256;

    private int left;
    private int done;
    private int messagesLeft = MESSAGES_PER_TURN;

    /// Of a channel that has had no turn yet.
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

    /// Messages that may be encoded, 0 or more.
    public int messagesLeft() {
        return messagesLeft;
    }

    public void encoded(int messages) {
        messagesLeft = Math.max(0, messagesLeft - messages);
    }

    /// Units since the last [#begin].
    public int done() {
        return done;
    }
}
