package io.tensorferry.cuda;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicBoolean;

/// Device memory of `cuMemAlloc`, aligned to at least 256 bytes.
///
/// Allocating and freeing may wait for all work of the device: use it for large slabs, not per tensor.
///
/// Threading: any thread.
final class CudaMemory implements DeviceMemory {
    private final CudaAccelerator device;
    private final CudaContext context;
    private final long address;
    private final long byteSize;
    private final AtomicBoolean closed = new AtomicBoolean();

    private CudaMemory(CudaAccelerator device, CudaContext context, long address, long byteSize) {
        this.device = device;
        this.context = context;
        this.address = address;
        this.byteSize = byteSize;
    }

    static CudaMemory allocate(CudaAccelerator device, CudaContext context, long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("cannot allocate " + bytes + " bytes of " + device);
        }
        context.addChild();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ValueLayout.JAVA_LONG);
            int code;
            try (var _ = context.enter()) {
                code = Cuda.cuMemAlloc_v2(address, bytes);
            }
            if (code != Cuda.CUDA_SUCCESS()) {
                throw CudaCheck.failure("cuMemAlloc of " + bytes + " bytes", code);
            }
            return new CudaMemory(device, context, address.get(ValueLayout.JAVA_LONG, 0), bytes);
        } catch (RuntimeException e) {
            context.removeChild();
            throw e;
        }
    }

    @Override
    public Accelerator device() {
        return device;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long byteSize() {
        return byteSize;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            context.end(
                    "cuMemFree",
                    () -> Cuda.cuMemFree_v2(address),
                    byteSize + " bytes of " + device + " stay allocated");
            context.removeChild();
        }
    }
}
