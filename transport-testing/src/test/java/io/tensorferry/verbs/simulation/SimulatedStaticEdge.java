package io.tensorferry.verbs.simulation;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import java.util.Random;

/// A static edge, whose consumer releases each tensor before it takes the next. Where the edge leans on the
/// application's own order, the producer sends what the consumer's releases allow.
final class SimulatedStaticEdge extends SimulatedEdge {
    private final StaticEdge edge;

    /// @param count tensors to be sent
    SimulatedStaticEdge(Scenario scenario, Random random, StaticEdge edge, int count) {
        super(
                scenario,
                random,
                edge.key(),
                count,
                manager -> manager.openSender(edge),
                manager -> manager.openReceiver(edge));
        this.edge = edge;
    }

    static StaticEdge of(int producer, int consumer, String name, long bytes) {
        return StaticEdge.of(Scenario.key(producer, consumer, name), DataType.UINT8, Shape.of(bytes));
    }

    @Override
    boolean mayBeSent() {
        return switch (edge.reuse()) {
            // Some more than have places: they wait.
            case CREDIT -> sent() < released() + 5;
            case DEPENDENCY -> sent() < released() + edge.places();
        };
    }

    @Override
    Tensor make(int sequence, byte stamp) {
        return Scenario.bytes(producer, edge.tensorBytes(), stamp);
    }

    @Override
    void hold(Tensor tensor, int sequence) {
        later(() -> {
            if (isReceiverClosed() || !consumer.isAlive()) {
                return;
            }
            check(tensor, sequence);
            ((StaticReceiver) receiver).release();
            countReleased();
            consume();
        });
    }
}
