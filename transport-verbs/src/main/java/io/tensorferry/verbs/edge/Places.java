package io.tensorferry.verbs.edge;

import io.tensorferry.api.Tensor;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.thread.PromptRelease;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The memory of a static edge at its consumer: one or two places, each wrapped as a tensor.
///
/// The memory is freed when all its holders have released it: the peer that may write it, the consumer's end, and the
/// holders of a handle on one of the tensors.
///
/// Threading: any thread. Tensors are created and closed under this object's lock, so that none is created after the
/// end.
final class Places {
    private final StaticEdge edge;
    private final MemorySegment memory;
    private final @Nullable NamedMemory named;
    private final Runnable onFree;
    private final Tensor[] tensors;
    // Holds of the peer and the consumer's end; each tensor adds one.
    private final AtomicInteger holds = new AtomicInteger(2);
    private boolean closed;

    private Places(StaticEdge edge, MemorySegment memory, @Nullable NamedMemory named, Runnable onFree) {
        this.edge = edge;
        this.memory = memory;
        this.named = named;
        this.onFree = onFree;
        this.tensors = new Tensor[edge.places()];
        for (int i = 0; i < tensors.length; i++) {
            tensors[i] = wrap(i);
        }
    }

    /// Allocates the places in memory of the pool.
    ///
    /// @throws io.tensorferry.api.TransportException `RESOURCE_EXHAUSTED` if no memory is available
    static Places allocate(StaticEdge edge, RegisteredMemory memory) {
        if (edge.memoryBytes() == 0) {
            return new Places(edge, MemorySegment.NULL, null, () -> {});
        }
        RegisteredBuffer buffer = memory.allocate(edge.memoryBytes());
        return new Places(
                edge,
                buffer.segment(),
                new NamedMemory(buffer.region(), buffer.address(), buffer.byteSize()),
                buffer::close);
    }

    /// Creates the places in memory of the user.
    ///
    /// @throws IllegalArgumentException if the memory has a different size, is not aligned, or is not registered
    static Places in(MemorySegment given, StaticEdge edge, RegisteredMemory memory) {
        if (given.byteSize() != edge.memoryBytes()) {
            throw new IllegalArgumentException(
                    edge + " takes " + edge.memoryBytes() + " bytes, the memory has " + given.byteSize());
        }
        if (given.byteSize() == 0) {
            return new Places(edge, MemorySegment.NULL, null, () -> {});
        }
        if (given.address() % StaticEdge.PLACE_ALIGNMENT != 0) {
            throw new IllegalArgumentException("the memory at 0x%x for %s must begin at a multiple of %d bytes"
                    .formatted(given.address(), edge, StaticEdge.PLACE_ALIGNMENT));
        }
        MemoryRegion region = memory.regionOf(given.address(), given.byteSize());
        if (region == null) {
            throw new IllegalArgumentException("the memory for " + edge + " is not registered");
        }
        return new Places(edge, given, new NamedMemory(region, given.address(), given.byteSize()), () -> {});
    }

    /// The memory to name to the producer; null if tensors are empty.
    @Nullable
    NamedMemory named() {
        return named;
    }

    /// The tensor in the place of a sequence number.
    ///
    /// @throws IllegalStateException if the consumer's end is closed
    synchronized Tensor tensor(long sequence) {
        if (closed) {
            throw new IllegalStateException("the consumer's end of " + edge + " is closed");
        }
        int place = (int) (sequence % tensors.length);
        if (tensors[place].isClosed()) {
            // The consumer has closed the tensor of this place.
            tensors[place] = wrap(place);
        }
        return tensors[place];
    }

    private Tensor wrap(int place) {
        holds.incrementAndGet();
        MemorySegment part = memory.asSlice(place * edge.placeBytes(), edge.tensorBytes());
        return Tensor.wrap(edge.dataType(), edge.shape(), part, (PromptRelease) this::letGo);
    }

    /// Releases the peer's hold: the peer can write no more.
    void peerIsDone() {
        letGo();
    }

    /// Releases the consumer's hold: the consumer takes no more tensors.
    synchronized void consumerIsDone() {
        closed = true;
        for (Tensor tensor : tensors) {
            tensor.close();
        }
        letGo();
    }

    private void letGo() {
        if (holds.decrementAndGet() == 0) {
            onFree.run();
        }
    }
}
