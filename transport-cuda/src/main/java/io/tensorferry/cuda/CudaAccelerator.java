package io.tensorferry.cuda;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DmaBuf;
import io.tensorferry.api.HostPin;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A GPU of the CUDA driver, opened by [CudaDevices#open]. It uses the GPU's primary context, as frameworks do. Memory,
/// streams and events that a framework of this process created on the GPU can be used here, and vice versa.
///
/// Threading: any thread, including virtual threads. A call leaves the thread's current context unchanged.
public final class CudaAccelerator implements Accelerator {
    private final CudaDescription description;
    private final CudaContext context;
    private final boolean exportsDmaBufs;
    private final NicWrites nicWrites;

    private CudaAccelerator(
            CudaDescription description, CudaContext context, boolean exportsDmaBufs, NicWrites nicWrites) {
        this.description = description;
        this.context = context;
        this.exportsDmaBufs = exportsDmaBufs;
        this.nicWrites = nicWrites;
    }

    static CudaAccelerator open(CudaDescription description) {
        int device = CudaAttributes.device(description.ordinal());
        if (!CudaAttributes.hasOneAddressSpace(device)) {
            throw new TransportException(
                    StatusCode.FAILED_PRECONDITION,
                    description.name()
                            + " has its own address space, whose addresses may equal those of the host:"
                            + " CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING is 0");
        }
        boolean exportsDmaBufs = CudaAttributes.exportsDmaBufs(device);
        NicWrites nicWrites = CudaAttributes.nicWrites(device);
        return new CudaAccelerator(
                description, CudaContext.retain("GPU:" + description.ordinal(), device), exportsDmaBufs, nicWrites);
    }

    @Override
    public String type() {
        return "GPU";
    }

    @Override
    public int index() {
        return description.ordinal();
    }

    @Override
    public String description() {
        return description.name() + ", " + description.pciAddress();
    }

    /// Returns the free memory of the GPU in bytes.
    public long freeBytes() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment free = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment total = arena.allocate(ValueLayout.JAVA_LONG);
            int code;
            try (var _ = context.enter()) {
                code = Cuda.cuMemGetInfo_v2(free, total);
            }
            CudaCheck.ok("cuMemGetInfo", code);
            return free.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        return CudaMemory.allocate(this, context, bytes);
    }

    @Override
    public CudaStream openStream() {
        return CudaStream.open(this, context);
    }

    /// Wraps a stream of the application, to queue copies or record an event in it. The application keeps owning the
    /// stream; closing the returned object does not affect it.
    ///
    /// @param handle a `CUstream` or `cudaStream_t` of this GPU; 0 is the default stream
    public CudaStream stream(long handle) {
        return new CudaStream(this, context, MemorySegment.ofAddress(handle), false);
    }

    /// Wraps an event that the application has recorded. The application keeps owning the event; closing the returned
    /// object does not affect it.
    ///
    /// @param handle a `CUevent` or `cudaEvent_t`
    public CudaEvent event(long handle) {
        return new CudaEvent(context, MemorySegment.ofAddress(handle), false);
    }

    @Override
    public HostPin pin(MemorySegment hostMemory) {
        return CudaPin.pin(context, hostMemory);
    }

    @Override
    public void prepareForNic(long address, long bytes) {
        CudaNicAccess.prepare(this, context, address, bytes);
    }

    @Override
    public DmaBuf export(long address, long bytes) {
        return CudaDmaBuf.export(this, context, address, bytes);
    }

    boolean exportsDmaBufs() {
        return exportsDmaBufs;
    }

    @Override
    public NicWrites nicWrites() {
        return nicWrites;
    }

    @Override
    public void flushNicWrites() {
        if (nicWrites != NicWrites.AFTER_FLUSH) {
            throw new TransportException(
                    StatusCode.UNIMPLEMENTED, this + " has no writes to flush: NIC writes are " + nicWrites);
        }
        int code;
        try (var _ = context.enter()) {
            code = Cuda.cuFlushGPUDirectRDMAWrites(
                    Cuda.CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX(),
                    Cuda.CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER());
        }
        CudaCheck.ok("cuFlushGPUDirectRDMAWrites", code);
    }

    /// @throws IllegalStateException if memory, a stream, an event or a pin of this GPU is open
    @Override
    public void close() {
        context.close();
    }

    @Override
    public String toString() {
        return "GPU:" + description.ordinal();
    }
}
