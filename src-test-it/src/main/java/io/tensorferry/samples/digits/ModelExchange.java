package io.tensorferry.samples.digits;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;

/// Double arrays in and out of the tensors that travel between two devices, one name for each.
///
/// @param allocator of the sender's server: its tensors travel without an extra copy
record ModelExchange(TensorAllocator allocator) {
    static final Shape WEIGHTS = Shape.of(Digits.PIXELS, Digits.CLASSES);
    static final Shape BIAS = Shape.of(Digits.CLASSES);

    private static final ValueLayout.OfDouble LITTLE_ENDIAN_DOUBLE =
            ValueLayout.JAVA_DOUBLE.withOrder(ByteOrder.LITTLE_ENDIAN);

    /// Puts `values` into a new tensor. The caller owns it.
    Tensor tensor(Shape shape, double... values) {
        Tensor tensor = allocator.allocate(DataType.DOUBLE, shape);
        MemorySegment.copy(values, 0, tensor.segment(), LITTLE_ENDIAN_DOUBLE, 0, values.length);
        return tensor;
    }

    /// Makes a tensor available to `to`, and takes it.
    static void send(Rendezvous rendezvous, DeviceName from, DeviceName to, String name, Tensor tensor) {
        rendezvous.send(RendezvousKey.of(from, to, name), tensor);
    }

    /// Asks `from` for a tensor; the elements of it follow.
    static CompletableFuture<double[]> receive(Rendezvous rendezvous, DeviceName from, DeviceName to, String name) {
        return rendezvous.recvAsync(RendezvousKey.of(from, to, name)).thenApply(ModelExchange::elements);
    }

    private static double[] elements(RecvResult result) {
        try (Tensor tensor = result.tensorOrThrow()) {
            return tensor.toDoubleArray();
        }
    }
}
