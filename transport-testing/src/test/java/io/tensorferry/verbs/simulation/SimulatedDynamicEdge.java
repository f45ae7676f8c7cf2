package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicSender;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// A dynamic edge with tensors of drawn types and shapes, in memory that the consumer reads where it is and in other,
/// and a consumer that holds several of them at a time, and now and then takes none for so long that a channel may be
/// lost meanwhile.
final class SimulatedDynamicEdge extends SimulatedEdge {
    private static final DataType[] TYPES = {DataType.UINT8, DataType.FLOAT, DataType.INT64, DataType.BOOL};
    private static final long[] SIZES = {0, 1, 100, 5_000, 20_000};
    private static final long LARGEST_BYTES = 20_000;
    private static final long LONGEST_BREAK_NS = 3 * Scenario.SECOND_NS;

    private final DynamicEdge edge;
    private final List<Shape> shapes = new ArrayList<>();
    private final List<DataType> types = new ArrayList<>();
    private int held;

    /// @param count tensors to be sent
    SimulatedDynamicEdge(Scenario scenario, Random random, DynamicEdge edge, int count) {
        super(
                scenario,
                random,
                edge.key(),
                count,
                manager -> manager.openSender(edge),
                manager -> manager.openReceiver(edge));
        this.edge = edge;
    }

    static DynamicEdge of(RendezvousKey key, int slots) {
        return new DynamicEdge(key, slots, LARGEST_BYTES);
    }

    /// Some more than have slots and are not taken: they wait.
    @Override
    boolean mayBeSent() {
        return sent() < taken() + 3 * edge.slots() + 2;
    }

    @Override
    Tensor make(int sequence, byte stamp) {
        DataType type = TYPES[random.nextInt(TYPES.length)];
        long elements = SIZES[random.nextInt(SIZES.length)] / type.byteSize();
        Shape shape = random.nextBoolean() ? Shape.of(elements) : Shape.of(2, elements / 2, 1);
        types.add(type);
        shapes.add(shape);
        Tensor tensor = allocator().allocate(type, shape);
        tensor.segment().fill(stamp);
        return tensor;
    }

    private TensorAllocator allocator() {
        return switch (random.nextInt(6)) {
            case 0 -> TensorAllocator.unregistered();
            case 1 -> producer.adapter.memory().allocator();
            default -> ((DynamicSender) sender).allocator();
        };
    }

    @Override
    void check(Tensor tensor, int sequence) {
        assertThat(tensor.dataType()).as("%s", this).isEqualTo(types.get(sequence));
        assertThat(tensor.shape()).as("%s", this).isEqualTo(shapes.get(sequence));
        super.check(tensor, sequence);
    }

    /// It is the consumer's own, whatever becomes of the edge.
    @Override
    void hold(Tensor tensor, int sequence) {
        held++;
        later(() -> {
            check(tensor, sequence);
            tensor.close();
            held--;
            countReleased();
        });
        if (random.nextInt(30) == 0) {
            within(LONGEST_BREAK_NS, this::consume);
        } else {
            later(this::consume);
        }
    }

    @Override
    boolean hasEnded() {
        return held == 0 && super.hasEnded();
    }
}
