package io.tensorferry.it.benchmark.rendezvous;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.IntStream;

/// The consumer's order of a step: the tensors that the producer sends.
///
/// @param bytes the size of each tensor
/// @param count the number of tensors
/// @param names the number of names, used in turn; with one, all tensors have the usual name. Over edges, the number of
///     edges
/// @param late whether the producer waits for a release before it sends, so that all requests can arrive first
public record Order(long bytes, int count, int names, boolean late) {
    private static final int FIELDS = 4;

    /// The keys of all names.
    public List<RendezvousKey> keys() {
        if (names == 1) {
            return List.of(RendezvousNode.TENSOR);
        }
        return IntStream.range(0, names)
                .mapToObj(i -> RendezvousKey.of(RendezvousNode.PRODUCER, RendezvousNode.CONSUMER, "tensor/" + i))
                .toList();
    }

    public Tensor toTensor(TensorAllocator allocator) {
        Tensor tensor = allocator.allocate(DataType.INT64, Shape.of(FIELDS));
        long[] fields = {bytes, count, names, late ? 1 : 0};
        for (int i = 0; i < FIELDS; i++) {
            tensor.segment().setAtIndex(ValueLayout.JAVA_LONG, i, fields[i]);
        }
        return tensor;
    }

    /// Parses the output of [#toTensor], and closes the tensor.
    public static Order of(Tensor tensor) {
        try (tensor) {
            long[] fields = tensor.toLongArray();
            return new Order(fields[0], (int) fields[1], (int) fields[2], fields[3] == 1);
        }
    }
}
