package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.EdgeReceiver;
import io.tensorferry.api.edge.EdgeSender;
import io.tensorferry.verbs.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The victim's ends of edges with the attacker, and what the attacker says of edges of either kind.
abstract class HostileField {
    final HostileStage stage;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<CompletableFuture<Void>> ended = new ArrayList<>();

    HostileField(HostileStage stage) {
        this.stage = stage;
    }

    final <S extends EdgeSender> S add(S sender) {
        open.add(sender);
        ended.add(sender.ended());
        return sender;
    }

    final <R extends EdgeReceiver> R add(R receiver) {
        open.add(receiver);
        ended.add(receiver.ended());
        return receiver;
    }

    final void credit(int number, long released) {
        stage.attacker.send(new Message.EdgeCredit(number, released));
    }

    final void status(int number, long count, StatusCode code) {
        stage.attacker.send(new Message.EdgeStatus(number, count, Message.Direction.TO_RECEIVER, code, "so"));
    }

    final void giveUp(int number) {
        stage.attacker.send(
                new Message.EdgeStatus(number, 0, Message.Direction.TO_SENDER, StatusCode.CANCELLED, "no more"));
    }

    /// The next message of this kind that the victim sends; those before it are dropped.
    final <M extends Message> M take(Class<M> type) {
        var taken = new ArrayList<Message>();
        stage.await(
                () -> {
                    @Nullable Message message = stage.attacker.takeMessage();
                    if (type.isInstance(message)) {
                        taken.add(message);
                    }
                    return !taken.isEmpty();
                },
                "a " + type.getSimpleName() + " of the victim");
        return type.cast(taken.getFirst());
    }

    /// Closes all ends; they end at the latest with the channel.
    final void close() {
        for (AutoCloseable end : open) {
            try {
                end.close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            if (end instanceof EdgeSender sender) {
                sender.startAbort(new TransportException(StatusCode.CANCELLED, "over"));
            }
        }
        open.clear();
    }

    final void assertEnded() {
        stage.await(() -> ended.stream().allMatch(CompletableFuture::isDone), "every end ends");
    }

    /// What the attacker does is a violation, whenever it does it: it ends the attacker's channel and nothing else.
    final void assertViolation(Runnable attack, String name) {
        for (int round = 1; round <= 3; round++) {
            stage.connect();
            attack.run();
            long failed = round;
            stage.await(() -> stage.counters().failed() == failed, "the channel fails: " + name);
            assertThat(stage.counters().malformedMessages()).isZero();
            assertThat(stage.counters().protocolViolations()).isEqualTo(round);
            close();
            assertEnded();
            stage.assertHealthy();
        }
        stage.connect();
        stage.attackerReceives();
        assertThat(stage.counters().failed()).isEqualTo(3);
        stage.end();
    }

    /// What the attacker does is no violation, and its channel goes on.
    final void assertHarmless(Runnable attack) {
        stage.connect();
        attack.run();
        stage.settle();
        stage.attackerReceives();
        assertThat(stage.counters().failed()).isZero();
        assertThat(stage.counters().protocolViolations()).isZero();
        stage.assertHealthy();
        close();
        // The channel, and with it what the attacker could still write.
        stage.attacker.sendBytes(new byte[8]);
        assertEnded();
        stage.end();
    }
}
