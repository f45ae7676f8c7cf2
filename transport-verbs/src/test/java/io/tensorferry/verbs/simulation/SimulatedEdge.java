package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StaticEdge;
import io.tensorferry.api.StaticReceiver;
import io.tensorferry.api.StaticSender;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// An edge of a scenario with a producer that sends tensor after tensor, and a consumer that polls now and then, checks
/// each and releases it after a while. Where the edge leans on the application's own order, the producer sends what the
/// consumer's releases allow.
final class SimulatedEdge {
    private static final long LONGEST_NAP_NS = 100_000;

    final StaticEdge edge;
    final StaticSender sender;
    final StaticReceiver receiver;
    private final Scenario scenario;
    // Of the life in which the end was opened.
    private final SimulatedCluster.Worker producer;
    private final SimulatedCluster.Worker consumer;
    private final Random random;
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
    SimulatedEdge(Scenario scenario, Random random, StaticEdge edge, int count) {
        this.scenario = scenario;
        this.random = random;
        this.edge = edge;
        this.count = count;
        this.producer = scenario.worker(edge.key().source().task());
        this.consumer = scenario.worker(edge.key().destination().task());
        boolean senderFirst = random.nextBoolean();
        StaticSender early = senderFirst ? producer.edges.openSender(edge) : null;
        this.receiver = consumer.edges.openReceiver(edge);
        this.sender = early != null ? early : producer.edges.openSender(edge);
        later(this::produce);
        later(this::consume);
    }

    static StaticEdge of(int producer, int consumer, String name, long bytes) {
        return StaticEdge.of(Scenario.key(producer, consumer, name), DataType.UINT8, Shape.of(bytes));
    }

    private void later(Runnable action) {
        scenario.fabric.schedule(1 + random.nextLong(LONGEST_NAP_NS), action);
    }

    private boolean mayBeSent() {
        return switch (edge.reuse()) {
            // Some more than have places: they wait.
            case CREDIT -> sent < released + 5;
            case DEPENDENCY -> sent < released + edge.places();
        };
    }

    private void produce() {
        if (sent == count || sendFailure != null || senderClosed || !producer.isAlive()) {
            return;
        }
        while (sent < count && mayBeSent()) {
            Tensor tensor = Scenario.bytes(producer, edge.tensorBytes(), stamp(sent));
            try {
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

    private void consume() {
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
        later(() -> {
            if (receiverClosed || !consumer.isAlive()) {
                return;
            }
            check(tensor, sequence);
            receiver.release();
            released++;
            consume();
        });
    }

    private void check(Tensor tensor, int sequence) {
        for (long i = 0; i < tensor.byteSize(); i++) {
            byte found = tensor.segment().get(ValueLayout.JAVA_BYTE, i);
            if (found != stamp(sequence)) {
                throw new AssertionError("byte " + i + " of tensor " + sequence + " of " + edge + " is " + found
                        + " and not " + stamp(sequence) + ", seed " + scenario.seed);
            }
        }
    }

    int taken() {
        return taken;
    }

    int sent() {
        return sent;
    }

    /// Every tensor has been taken and released, or an end has told why not, or nobody is there who takes.
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
        assertThat(receiveFailure).as("%s, seed %d", edge, scenario.seed).isNull();
        assertThat(taken).isEqualTo(count);
    }

    /// Closes both ends, and waits until both have ended.
    void close() {
        closeSender();
        closeReceiver();
        scenario.await(this::hasEnded, "both ends of " + edge + " end");
    }

    @Override
    public String toString() {
        return edge + (isDone() ? " is done" : " is not done") + (hasEnded() ? " and has ended, " : ", ") + sent
                + " of "
                + count + " sent" + (senderClosed ? " and closed, " : ", ") + taken + " taken, " + released
                + " released, "
                + sender.opened() + ", " + receiver.opened() + ", " + sendFailure + ", " + receiveFailure;
    }
}
