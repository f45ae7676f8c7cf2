package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.EdgeReceiver;
import io.tensorferry.api.edge.EdgeSender;
import io.tensorferry.verbs.edge.EdgeManager;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// An edge of a scenario with a producer that sends tensor after tensor, and a consumer that polls now and then, checks
/// each and is done with it after a while.
abstract class SimulatedEdge {
    private static final long LONGEST_NAP_NS = 100_000;

    final RendezvousKey key;
    final EdgeSender sender;
    final EdgeReceiver receiver;
    final Random random;
    // Of the life in which the end was opened.
    final SimulatedCluster.Worker producer;
    final SimulatedCluster.Worker consumer;
    private final Scenario scenario;
    private final int count;
    private boolean senderClosed;
    private boolean receiverClosed;
    private int sent;
    private int taken;
    private int released;
    private @Nullable TransportException sendFailure;
    private @Nullable TransportException receiveFailure;

    /// Opens both ends, in a drawn order.
    ///
    /// @param count tensors to be sent
    /// @param opensSender on the producer's worker
    /// @param opensReceiver on the consumer's
    SimulatedEdge(
            Scenario scenario,
            Random random,
            RendezvousKey key,
            int count,
            Function<EdgeManager, ? extends EdgeSender> opensSender,
            Function<EdgeManager, ? extends EdgeReceiver> opensReceiver) {
        this.scenario = scenario;
        this.random = random;
        this.key = key;
        this.count = count;
        this.producer = scenario.worker(key.source().task());
        this.consumer = scenario.worker(key.destination().task());
        EdgeSender early = random.nextBoolean() ? opensSender.apply(producer.edges) : null;
        this.receiver = opensReceiver.apply(consumer.edges);
        this.sender = early != null ? early : opensSender.apply(producer.edges);
        later(this::produce);
        later(this::consume);
    }

    final void later(Runnable action) {
        within(LONGEST_NAP_NS, action);
    }

    final void within(long longestNs, Runnable action) {
        scenario.fabric.schedule(1 + random.nextLong(longestNs), action);
    }

    /// Whether the producer sends another now.
    abstract boolean mayBeSent();

    /// The producer's next tensor, all bytes of it with this value.
    abstract Tensor make(int sequence, byte stamp);

    /// A tensor that the consumer has taken and checked: it looks at it again after a while, and is done with it.
    abstract void hold(Tensor tensor, int sequence);

    private void produce() {
        if (sent == count || sendFailure != null || senderClosed || !producer.isAlive()) {
            return;
        }
        while (sent < count && mayBeSent()) {
            try (Tensor tensor = make(sent, stamp(sent))) {
                sender.send(tensor);
            } catch (TransportException e) {
                sendFailure = e;
                return;
            }
            sent++;
            if (random.nextInt(3) == 0) {
                break;
            }
        }
        later(this::produce);
    }

    private static byte stamp(int sequence) {
        return (byte) (1 + sequence % 120);
    }

    final void consume() {
        if (taken == count || receiveFailure != null || receiverClosed || !consumer.isAlive()) {
            return;
        }
        if (!receiver.poll()) {
            later(this::consume);
            return;
        }
        Tensor tensor;
        try {
            tensor = receiver.take();
        } catch (TransportException e) {
            receiveFailure = e;
            return;
        }
        int sequence = taken++;
        check(tensor, sequence);
        hold(tensor, sequence);
    }

    /// The consumer is done with one.
    final void countReleased() {
        released++;
    }

    void check(Tensor tensor, int sequence) {
        for (long i = 0; i < tensor.byteSize(); i++) {
            byte found = tensor.segment().get(ValueLayout.JAVA_BYTE, i);
            if (found != stamp(sequence)) {
                throw new AssertionError("byte " + i + " of tensor " + sequence + " of " + this + " is " + found
                        + " and not " + stamp(sequence) + ", seed " + scenario.seed);
            }
        }
    }

    int taken() {
        return taken;
    }

    int released() {
        return released;
    }

    int sent() {
        return sent;
    }

    /// Every tensor has been taken and released, or an end has failed, or the consumer no longer takes tensors.
    boolean isDone() {
        return receiveFailure != null || (taken == count && released == count) || receiverClosed || !consumer.isAlive();
    }

    /// All ends have ended whose process lives.
    boolean hasEnded() {
        return (sender.ended().isDone() || !producer.isAlive())
                && (receiver.ended().isDone() || !consumer.isAlive());
    }

    /// Whether both ends are in processes that live.
    boolean isAlive() {
        return producer.isAlive() && consumer.isAlive();
    }

    boolean isReceiverClosed() {
        return receiverClosed;
    }

    void closeSender() {
        senderClosed = true;
        if (producer.isAlive()) {
            sender.close();
        }
    }

    void closeReceiver() {
        receiverClosed = true;
        if (consumer.isAlive()) {
            receiver.close();
        }
    }

    void abortSender(TransportException cause) {
        if (producer.isAlive()) {
            sender.startAbort(cause);
        }
    }

    void abortReceiver(TransportException cause) {
        if (consumer.isAlive()) {
            receiver.startAbort(cause);
        }
    }

    @Nullable
    TransportException receiveFailure() {
        return receiveFailure;
    }

    @Nullable
    TransportException sendFailure() {
        return sendFailure;
    }

    void assertAllArrived() {
        assertThat(receiveFailure).as("%s, seed %d", this, scenario.seed).isNull();
        assertThat(taken).isEqualTo(count);
    }

    /// Closes both ends, and waits until both have ended.
    void close() {
        closeSender();
        closeReceiver();
        scenario.await(this::hasEnded, "both ends of " + key + " end");
    }

    @Override
    public String toString() {
        return key + (isDone() ? " is done" : " is not done") + (hasEnded() ? " and has ended, " : ", ") + sent
                + " of "
                + count + " sent" + (senderClosed ? " and closed, " : ", ") + taken + " taken, " + released
                + " released, "
                + sender.opened() + ", " + receiver.opened() + ", " + sendFailure + ", " + receiveFailure;
    }
}
