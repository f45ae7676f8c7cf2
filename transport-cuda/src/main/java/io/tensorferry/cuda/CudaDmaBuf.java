package io.tensorferry.cuda;

import io.tensorferry.api.DmaBuf;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.CudaLibrary;
import io.tensorferry.bindings.OwnedDescriptor;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Device memory exported as a dmabuf file of the kernel, so that the driver of a NIC can register it.
///
/// Threading: any thread.
final class CudaDmaBuf implements DmaBuf {
    private static final String FUNCTION = "cuMemGetHandleForAddressRange";
    /// The driver requires address and size to be multiples of this on x86-64.
    private static final long HOST_PAGE = 4096;

    private final OwnedDescriptor file;
    private final long offset;

    private CudaDmaBuf(OwnedDescriptor file, long offset) {
        this.file = file;
        this.offset = offset;
    }

    /// @throws TransportException `UNIMPLEMENTED` with the obstacle
    static CudaDmaBuf export(CudaAccelerator device, CudaContext context, long address, long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("cannot export " + bytes + " bytes of " + device);
        }
        if (!(CudaLibrary.find() instanceof CudaLibrary.Present library) || !library.has(FUNCTION)) {
            throw new TransportException(
                    StatusCode.UNIMPLEMENTED,
                    "the CUDA driver has no " + FUNCTION + ": version 515 (CUDA 11.7) or newer is needed");
        }
        if (!device.exportsDmaBufs()) {
            throw new TransportException(
                    StatusCode.UNIMPLEMENTED,
                    device + " exports no dmabufs: CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0, as when the kernel or"
                            + " the driver's kernel module does not support them");
        }
        // Only the requested bytes of the exported range are registered.
        long start = address & -HOST_PAGE;
        long end = Math.addExact(address, Math.addExact(bytes, HOST_PAGE - 1)) & -HOST_PAGE;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment descriptor = arena.allocate(ValueLayout.JAVA_INT);
            int code;
            try (var _ = context.enter()) {
                code = Cuda.cuMemGetHandleForAddressRange(
                        descriptor, start, end - start, Cuda.CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD(), 0);
            }
            CudaCheck.ok(FUNCTION, code, StatusCode.UNIMPLEMENTED);
            return new CudaDmaBuf(new OwnedDescriptor(descriptor.get(ValueLayout.JAVA_INT, 0)), address - start);
        }
    }

    @Override
    public int fileDescriptor() {
        return file.number();
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public void close() {
        file.close();
    }
}
