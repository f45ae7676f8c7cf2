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

/// Exchanges double arrays between two devices: one name for each array, once in each step.
interface ModelExchange extends AutoCloseable {
    /// The shapes of the arrays.
    Shape WEIGHTS = Shape.of(Digits.PIXELS, Digits.CLASSES);

    Shape BIAS = Shape.of(Digits.CLASSES);
    Shape LOSS = Shape.scalar();

    /// Creates the exchange for a placement.
    static ModelExchange of(Placement placement, TransportServer server) {
        return switch (placement) {
            case RENDEZVOUS -> new RendezvousExchange(server);
            case STATIC -> new StaticExchange(server);
            case DYNAMIC -> new DynamicExchange(server);
        };
    }

    /// Copies `values` to a new tensor. The caller owns it.
    ///
    /// @param allocator an allocator whose tensors are sent without an additional copy
    static Tensor tensor(TensorAllocator allocator, Shape shape, double... values) {
        Tensor tensor = allocator.allocate(DataType.DOUBLE, shape);
        ValueLayout.OfDouble littleEndian = ValueLayout.JAVA_DOUBLE.withOrder(ByteOrder.LITTLE_ENDIAN);
        MemorySegment.copy(values, 0, tensor.segment(), littleEndian, 0, values.length);
        return tensor;
    }

    /// Sends a tensor with these values to each device of `to` in a step.
    void send(long step, List<DeviceName> to, String name, Shape shape, double... values);

    /// Receives the elements of the tensor that `from` sends in a step.
    ///
    /// @param shape the shape of the tensor
    CompletableFuture<double[]> receive(long step, DeviceName from, String name, Shape shape);

    /// Declares that this task sends nothing more in a step. Returns at once; consumers can still receive the tensors
    /// sent.
    void stepDone(long step);

    /// Waits until all sent tensors are received.
    @Override
    void close();
}
