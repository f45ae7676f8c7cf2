package io.tensorferry.samples.digits;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.grpc.TransportServer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// How double arrays travel between two devices, one name for each, once in each step.
interface ModelExchange extends AutoCloseable {
    /// The shapes of what travels.
    Shape WEIGHTS = Shape.of(Digits.PIXELS, Digits.CLASSES);

    Shape BIAS = Shape.of(Digits.CLASSES);
    Shape LOSS = Shape.scalar();

    /// One of the ways that a user can choose.
    static ModelExchange of(Placement placement, TransportServer server) {
        return switch (placement) {
            case RENDEZVOUS -> new RendezvousExchange(server);
            case STATIC -> new StaticExchange(server);
            case DYNAMIC -> new DynamicExchange(server);
        };
    }

    /// Puts `values` into a new tensor. The caller owns it.
    ///
    /// @param allocator whose tensors travel without an extra copy
    static Tensor tensor(TensorAllocator allocator, Shape shape, double... values) {
        Tensor tensor = allocator.allocate(DataType.DOUBLE, shape);
        ValueLayout.OfDouble littleEndian = ValueLayout.JAVA_DOUBLE.withOrder(ByteOrder.LITTLE_ENDIAN);
        MemorySegment.copy(values, 0, tensor.segment(), littleEndian, 0, values.length);
        return tensor;
    }

    /// Makes a tensor of these values available to each of `to` in a step.
    void send(long step, List<DeviceName> to, String name, Shape shape, double... values);

    /// The elements of the tensor that `from` makes available in a step.
    ///
    /// @param shape that it has
    CompletableFuture<double[]> receive(long step, DeviceName from, String name, Shape shape);

    /// This task sends nothing more in a step. Returns at once; what was sent is still received.
    void stepDone(long step);

    /// Waits until what was sent is received.
    @Override
    void close();
}
