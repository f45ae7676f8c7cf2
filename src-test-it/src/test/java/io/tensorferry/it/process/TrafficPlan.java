package io.tensorferry.it.process;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/// Random tensors between some nodes, step by step: the same list in every process that asks with the same values.
///
/// Sizes go from 0 B to 256 KiB, small ones as often as large ones on a logarithmic scale, and four tensors are of
/// 64 MiB; every type occurs, and dead, empty, scalar and string tensors. Every other edge carries tensors of one
/// type and shape in all steps, as in a training, the rest changes all the time.
///
/// @param seed what everything is drawn with
/// @param count how many tensors; at least 400 for the large ones to occur
/// @param nodes the nodes that take part
/// @param firstStep the first step id; a step has 100 tensors
record TrafficPlan(long seed, int count, List<Integer> nodes, long firstStep) {
    private static final int TENSORS_PER_STEP = 100;
    private static final int LARGE_TENSORS = 4;
    private static final Shape LARGE = Shape.of(64, 1 << 18);
    private static final double LOG_OF_LARGEST = Math.log(256 << 10);
    private static final int MOST_STRINGS = 200;
    private static final DataType[] TYPES = DataType.values();

    /// Reads what [#toString()] prints.
    static TrafficPlan parse(String text) {
        String[] words = text.split(" ");
        List<Integer> nodes =
                Arrays.stream(words[2].split(",")).map(Integer::valueOf).toList();
        return new TrafficPlan(Long.parseLong(words[0]), Integer.parseInt(words[1]), nodes, Long.parseLong(words[3]));
    }

    @Override
    public String toString() {
        return seed + " " + count + " "
                + String.join(",", nodes.stream().map(String::valueOf).toList()) + " " + firstStep;
    }

    /// One list for each step.
    List<List<PlannedTensor>> steps() {
        var steps = new ArrayList<List<PlannedTensor>>();
        for (int index = 0; index < count; index++) {
            if (index % TENSORS_PER_STEP == 0) {
                steps.add(new ArrayList<>());
            }
            steps.getLast().add(tensor(index));
        }
        return steps;
    }

    Stream<Long> stepIds() {
        return Stream.iterate(firstStep, id -> id + 1).limit((count + TENSORS_PER_STEP - 1) / TENSORS_PER_STEP);
    }

    private PlannedTensor tensor(int index) {
        int edge = index % TENSORS_PER_STEP;
        long step = firstStep + index / TENSORS_PER_STEP;
        var ends = new SplittableRandom(seed + edge);
        int from = nodes.get(ends.nextInt(nodes.size()));
        int to = nodes.get(ends.nextInt(nodes.size()));
        boolean steady = edge % 2 == 0;
        var random = steady ? ends : new SplittableRandom(seed + 1_000_003L * (index + 1));
        boolean large = !steady && index % Math.max(1, count / LARGE_TENSORS) == 51;
        boolean dead = random.nextInt(20) == 0 && !large;
        DataType type = large ? DataType.FLOAT : TYPES[random.nextInt(TYPES.length)];
        Shape shape = large ? LARGE : shape(random, type);
        return new PlannedTensor(step, "edge " + edge, from, to, dead, type, shape, seed ^ (31L * index));
    }

    private static Shape shape(SplittableRandom random, DataType type) {
        long bytes = Math.round(Math.exp(random.nextDouble() * LOG_OF_LARGEST));
        long elements = type == DataType.STRING ? bytes % MOST_STRINGS : bytes / type.byteSize();
        return switch (random.nextInt(6)) {
            case 0 -> Shape.scalar();
            case 1 -> Shape.of(elements, 0, 3);
            case 2 -> Shape.of(elements / 2, 2);
            case 3 -> Shape.of(1, elements / 3, 3, 1);
            default -> Shape.of(elements);
        };
    }
}
