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
    private final Random random;
    private final int count;
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
        int producer = edge.key().source().task();
        int consumer = edge.key().destination().task();
        boolean senderFirst = random.nextBoolean();
        StaticSender early = senderFirst ? scenario.worker(producer).edges.openSender(edge) : null;
        this.receiver = scenario.worker(consumer).edges.openReceiver(edge);
        this.sender = early != null ? early : scenario.worker(producer).edges.openSender(edge);
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
        if (sent == count || sendFailure != null) {
            return;
        }
        while (sent < count && mayBeSent()) {
            Tensor tensor =
                    Scenario.bytes(scenario.worker(edge.key().source().task()), edge.tensorBytes(), stamp(sent));
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
        if (taken == count || receiveFailure != null) {
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

    /// Every tensor has been taken and released, or an end has told why not.
    boolean isDone() {
        return receiveFailure != null || (taken == count && released == count);
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
        sender.close();
        receiver.close();
        scenario.await(() -> sender.ended().isDone() && receiver.ended().isDone(), "both ends of " + edge + " end");
    }
}
