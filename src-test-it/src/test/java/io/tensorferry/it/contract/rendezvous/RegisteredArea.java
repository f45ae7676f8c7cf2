package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.grpc.MemoryRegistration;
import io.tensorferry.grpc.TransportServer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/// Memory of the user's own that a server's device knows; tensors are made in it one behind the other. Closed after
/// the last of them. Any thread.
final class RegisteredArea implements TensorAllocator, AutoCloseable {
    private static final long ALIGNMENT = 64;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final MemoryRegistration registration;
    private final AtomicLong taken = new AtomicLong();

    RegisteredArea(TransportServer server, long bytes) {
        memory = arena.allocate(bytes, 4096);
        registration = server.register(memory);
    }

    @Override
    public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
        long place = taken.getAndAdd((byteSize + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
        return Tensor.wrap(dataType, shape, memory.asSlice(place, byteSize), () -> {});
    }

    @Override
    public void close() {
        registration.close();
        arena.close();
    }
}
