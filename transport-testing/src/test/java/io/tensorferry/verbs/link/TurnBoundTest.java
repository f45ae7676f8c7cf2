package io.tensorferry.verbs.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.loop.TurnBudget;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.RequestIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The limit of one peer's traffic in one turn of the loop; the remainder comes later, complete and in
/// order.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TurnBoundTest {
    /// Several rings full: 16 slots hold some 900.
    private static final int MESSAGES = 4000;

    private final TwoEnds ends = new TwoEnds(RemoteKeyScope.SLAB, 0);

    @AfterEach
    void close() {
        ends.close();
    }

    /// Of 72 to 128 bytes, so that turns end anywhere in a slot.
    private static Message message(int number) {
        return new Message.ErrorStatus(
                number,
                RequestIndex.of(number, 0),
                Message.Direction.TO_RECEIVER,
                StatusCode.ABORTED,
                "x".repeat(1 + number * 7 % 60));
    }

    private void send() {
        ends.sender.messages.clear();
        ends.receiver.messages.clear();
        for (int i = 0; i < MESSAGES; i++) {
            ends.sender.channel().send(message(i));
        }
    }

    private static List<Message> sentMessages() {
        var sent = new ArrayList<Message>();
        for (int i = 0; i < MESSAGES; i++) {
            sent.add(message(i));
        }
        return sent;
    }

    @Test
    void aTurnTakesABoundedPartOfAFullRingAndTheNextGoOnInOrder() {
        send();
        int turns = 0;
        while (ends.receiver.messages.size() < MESSAGES) {
            while (ends.sender.turn() > 0) {
                ends.runDevice();
            }
            int before = ends.receiver.messages.size();
            int work = ends.receiver.turn();
            int taken = ends.receiver.messages.size() - before;
            assertThat(taken).as("messages of one turn").isLessThanOrEqualTo(TurnBudget.PER_TURN);
            assertThat(work).isGreaterThanOrEqualTo(taken);
            ends.runDevice();
            assertThat(++turns).as("turns").isLessThan(1000);
        }
        assertThat(turns).isGreaterThanOrEqualTo(MESSAGES / TurnBudget.PER_TURN);
        assertThat(ends.receiver.messages).isEqualTo(sentMessages());
    }

    @Test
    void aTurnEncodesABoundedPartOfALongQueue() {
        send();
        long before = sent();
        int slot = TwoEnds.SLOT_BYTES / 72;
        assertThat(ends.sender.turn()).isPositive();
        assertThat(sent() - before)
                .as("messages of one turn")
                .isPositive()
                .isLessThanOrEqualTo(2L * (TurnBudget.MESSAGES_PER_TURN + slot));
        ends.await(() -> ends.receiver.messages.size() == MESSAGES, "all messages");
        assertThat(ends.receiver.messages).isEqualTo(sentMessages());
    }

    private long sent() {
        return ends.sender.adapter.counters().messagesSent();
    }

    /// The remainder must keep the loop awake, because no completion announces it.
    @Test
    void aTurnThatLeavesSomethingSaysThatThereWasWork() {
        send();
        while (ends.sender.turn() > 0) {
            ends.runDevice();
        }
        int messages = 0;
        while (ends.receiver.turn() > 0) {
            messages = ends.receiver.messages.size();
        }
        assertThat(messages).isGreaterThan(2 * TurnBudget.PER_TURN);
        assertThat(ends.receiver.messages).isEqualTo(sentMessages().subList(0, messages));
    }

    @Test
    void commandsAndTimersGetTheirTurnBetweenTheMessagesOfOnePeer() {
        send();
        while (ends.sender.turn() > 0) {
            ends.runDevice();
        }
        var order = new ArrayList<Integer>();
        ends.receiver.turn();
        ends.receiver.adapter.loop().execute(() -> order.add(ends.receiver.messages.size()));
        ends.receiver
                .adapter
                .loop()
                .execute(
                        () -> ends.receiver.adapter.loop().schedule(0, () -> order.add(ends.receiver.messages.size())));
        ends.receiver.turn();
        int behindTwo = ends.receiver.messages.size();
        ends.receiver.turn();
        assertThat(ends.receiver.messages).hasSizeGreaterThan(behindTwo);
        assertThat(order).hasSize(2).allMatch(seen -> seen <= behindTwo);
    }
}
