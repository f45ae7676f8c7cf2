package io.tensorferry.cuda;

import io.tensorferry.api.StatusCode;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Makes memory ready to be reached by a NIC.
///
/// Threading: any thread; no state.
final class CudaNicAccess {
    private CudaNicAccess() {}

    /// @throws IllegalArgumentException if the bytes are not all of one allocation
    /// @throws io.tensorferry.api.TransportException `UNIMPLEMENTED` with what the driver says
    static void prepare(CudaAccelerator device, CudaContext context, long address, long bytes) {
        // Whoever may write there is not to get at what lies beside it, and some drivers do not look.
        long start = attribute(context, Cuda.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR(), address);
        long size = attribute(context, Cuda.CU_POINTER_ATTRIBUTE_RANGE_SIZE(), address);
        if (bytes < 1 || bytes > size - (address - start)) {
            throw new IllegalArgumentException("%d bytes at %#x are not all of the allocation of %d bytes at %#x on %s"
                    .formatted(bytes, address, size, start, device));
        }
        // Otherwise copies by calls that wait may overtake what a NIC reads and writes.
        int code;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment yes = arena.allocateFrom(ValueLayout.JAVA_INT, 1);
            try (var _ = context.enter()) {
                code = Cuda.cuPointerSetAttribute(yes, Cuda.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS(), address);
            }
        }
        CudaCheck.ok("cuPointerSetAttribute", code, StatusCode.UNIMPLEMENTED);
    }

    private static long attribute(CudaContext context, int attribute, long address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_LONG);
            int code;
            try (var _ = context.enter()) {
                code = Cuda.cuPointerGetAttribute(value, attribute, address);
            }
            if (code == Cuda.CUDA_ERROR_INVALID_VALUE()) {
                throw new IllegalArgumentException("%#x is no memory that the driver has allocated: %s"
                        .formatted(address, CudaCheck.describe("cuPointerGetAttribute", code)));
            }
            CudaCheck.ok("cuPointerGetAttribute", code, StatusCode.UNIMPLEMENTED);
            return value.get(ValueLayout.JAVA_LONG, 0);
        }
    }
}
