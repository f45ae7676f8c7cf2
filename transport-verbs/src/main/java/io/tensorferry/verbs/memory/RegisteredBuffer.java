package io.tensorferry.verbs.memory;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.thread.PromptRelease;
import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A buffer of registered memory from a pool, aligned to 64 bytes: for message rings, copies of unregistered tensors,
/// and serialised tensors. The initial content is undefined.
///
/// A buffer in a pool of accelerator memory has an address but no segment. If the RDMA device has no registration of
/// the slabs, the buffer has no keys.
///
/// Ownership: the caller that allocated the buffer closes it once no device and no peer accesses it; the pool may reuse
/// the bytes at once. Threading: any thread; the content is plain memory.
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

    /// The memory, of [#byteSize()] bytes. Must not be used after [#close()].
    ///
    /// @throws UnsupportedOperationException if the processor cannot access it
    public MemorySegment segment() {
        if (segment == null) {
            throw new UnsupportedOperationException(
                    "these " + byteSize + " bytes are device memory; copy them with a DeviceStream");
        }
        return segment;
    }

    /// The address of the first byte, in the address space of the memory's device.
    public long address() {
        return address;
    }

    /// The requested bytes.
    public long byteSize() {
        return byteSize;
    }

    /// The key for work requests of this process.
    ///
    /// @throws IllegalStateException if the memory is not registered with the RDMA device
    public int localKey() {
        return region().localKey();
    }

    /// The rkey that a peer needs to write to the buffer.
    ///
    /// @throws IllegalStateException if the memory is not registered with the RDMA device
    public int remoteKey() {
        return region().remoteKey();
    }

    /// The memory region of the slab, which is larger than this buffer.
    ///
    /// @throws IllegalStateException if the memory is not registered with the RDMA device
    public MemoryRegion region() {
        MemoryRegion region = block.slab().region();
        if (region == null) {
            throw new IllegalStateException("these " + byteSize + " bytes are not registered with the RDMA device");
        }
        return region;
    }

    /// Transfers this buffer to a new tensor, which returns it to the pool when its last handle is closed. If this
    /// method throws, the caller still owns the buffer.
    ///
    /// @throws IllegalArgumentException if `dataType` is DMA-able and the buffer does not have the tensor's size
    /// @throws UnsupportedOperationException if the processor cannot access the memory
    public Tensor toTensor(DataType dataType, Shape shape) {
        return Tensor.wrap(dataType, shape, segment(), (PromptRelease) this::close);
    }

    /// Returns the bytes to the pool. Later calls have no effect. Never blocks.
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            pool.free(block);
        }
    }
}
