package io.tensorferry.verbs.memory;

import io.tensorferry.api.DataType;
import io.tensorferry.api.PromptRelease;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Registered bytes from a pool, aligned to 64: for message rings, for copies of unregistered tensors, for
/// serialised ones. The content is undefined at first.
///
/// Of a pool whose slabs are no host memory, it has an address and no segment; where the RDMA device does not know
/// the slabs, it has no keys.
///
/// Ownership: whoever allocated it closes it, when no device and no peer touches it any more: its bytes may be
/// somebody else's at once. Threading: any thread; the content is plain memory.
public final class RegisteredBuffer implements AutoCloseable {
    private final SlabPool pool;
    private final SlabBlock block;
    private final long address;
    private final long byteSize;
    private final @Nullable MemorySegment segment;
    private final AtomicBoolean closed = new AtomicBoolean();

    RegisteredBuffer(SlabPool pool, SlabBlock block, long bytes) {
        this.pool = pool;
        this.block = block;
        this.address = block.address();
        this.byteSize = bytes;
        this.segment = block.segment(bytes);
    }

    /// The memory, of [#byteSize()] bytes. Not to be used after [#close()].
    ///
    /// @throws UnsupportedOperationException if the processor does not reach it
    public MemorySegment segment() {
        if (segment == null) {
            throw new UnsupportedOperationException(
                    "these " + byteSize + " bytes are memory of a device; they are reached by copies");
        }
        return segment;
    }

    /// Of the first byte, as the memory's device counts.
    public long address() {
        return address;
    }

    /// The bytes asked for.
    public long byteSize() {
        return byteSize;
    }

    /// The key for work requests of this process.
    ///
    /// @throws IllegalStateException if the RDMA device does not know the memory
    public int localKey() {
        return region().localKey();
    }

    /// The key that a peer needs to write here.
    ///
    /// @throws IllegalStateException if the RDMA device does not know the memory
    public int remoteKey() {
        return region().remoteKey();
    }

    /// The registration of the slab; larger than this buffer.
    ///
    /// @throws IllegalStateException if the RDMA device does not know the memory
    public MemoryRegion region() {
        MemoryRegion region = block.slab().region();
        if (region == null) {
            throw new IllegalStateException("the RDMA device does not know these " + byteSize + " bytes");
        }
        return region;
    }

    /// Hands this buffer over to a new tensor, which gives it back to the pool when its last handle is closed.
    /// Where it throws, the buffer stays with the caller.
    ///
    /// @throws IllegalArgumentException if `dataType` is DMA-able and this buffer is not of the tensor's size
    /// @throws UnsupportedOperationException if the processor does not reach the memory
    public Tensor toTensor(DataType dataType, Shape shape) {
        return Tensor.wrap(dataType, shape, segment(), (PromptRelease) this::close);
    }

    /// Gives the bytes back to the pool. The second and later calls do nothing; never waits.
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            pool.free(block);
        }
    }
}
