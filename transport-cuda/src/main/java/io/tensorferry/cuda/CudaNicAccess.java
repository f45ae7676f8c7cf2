package io.tensorferry.cuda;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.CudaContextFlags;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Prepares device memory for access by a NIC.
///
/// Threading: any thread; no state.
final class CudaNicAccess {
    private static final Logger LOG = LoggerFactory.getLogger(CudaNicAccess.class);

    private CudaNicAccess() {}

    /// Makes synchronous copies of this memory complete before they return. If the driver does not support this for the
    /// memory, applies it to all memory in the context. Mapped memory (`cuMemCreate`) and memory of a stream-ordered
    /// pool (`cuMemAllocAsync`) do not support it individually.
    ///
    /// @throws IllegalArgumentException if the bytes are not within one allocation
    /// @throws io.tensorferry.api.TransportException `UNIMPLEMENTED` with the driver's error
    static void prepare(CudaAccelerator device, CudaContext context, long address, long bytes) {
        // A peer with write access must not reach the adjacent memory, and some drivers do not check the range.
        long start = attribute(context, Cuda.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR(), address);
        long size = attribute(context, Cuda.CU_POINTER_ATTRIBUTE_RANGE_SIZE(), address);
        if (bytes < 1 || bytes > size - (address - start)) {
            throw new IllegalArgumentException("%d bytes at %#x are not within the allocation of %d bytes at %#x on %s"
                    .formatted(bytes, address, size, start, device));
        }
        // Otherwise synchronous copies may overtake the reads and writes of a NIC.
        int code;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment yes = arena.allocateFrom(ValueLayout.JAVA_INT, 1);
            try (var _ = context.enter()) {
                code = Cuda.cuPointerSetAttribute(yes, Cuda.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS(), address);
            }
        }
        if (code == Cuda.CUDA_ERROR_NOT_SUPPORTED() || code == Cuda.CUDA_ERROR_INVALID_VALUE()) {
            synchronizeContext(context, CudaCheck.describe("cuPointerSetAttribute(SYNC_MEMOPS)", code), device);
        } else {
            CudaCheck.ok("cuPointerSetAttribute", code, StatusCode.UNIMPLEMENTED);
        }
    }

    /// @param refusal the driver's error for the memory itself
    private static void synchronizeContext(CudaContext context, String refusal, CudaAccelerator device) {
        String answer;
        if (CudaContextFlags.canBeSet()) {
            int code;
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment flags = arena.allocate(ValueLayout.JAVA_INT);
                try (var _ = context.enter()) {
                    code = CudaContextFlags.get(flags);
                    if (code == Cuda.CUDA_SUCCESS()) {
                        code = CudaContextFlags.set(flags.get(ValueLayout.JAVA_INT, 0) | CudaContextFlags.SYNC_MEMOPS);
                    }
                }
            }
            if (code == Cuda.CUDA_SUCCESS()) {
                LOG.info(
                        "synchronous copies complete before they return on {}, because some of its memory was"
                                + " mapped or belongs to a stream-ordered pool",
                        device);
                return;
            }
            answer = CudaCheck.describe("cuCtxSetFlags(CU_CTX_SYNC_MEMOPS)", code);
        } else {
            answer = "the driver has no cuCtxSetFlags";
        }
        throw new TransportException(
                StatusCode.UNIMPLEMENTED,
                "a NIC must not access memory whose copies it may overtake; " + refusal
                        + ", as for memory of cuMemCreate and of stream-ordered pools; " + answer
                        + ", which needs the driver of CUDA 12.3 or newer. Use memory of cuMemAlloc");
    }

    private static long attribute(CudaContext context, int attribute, long address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_LONG);
            int code;
            try (var _ = context.enter()) {
                code = Cuda.cuPointerGetAttribute(value, attribute, address);
            }
            if (code == Cuda.CUDA_ERROR_INVALID_VALUE()) {
                throw new IllegalArgumentException("%#x is not memory that the driver has allocated: %s"
                        .formatted(address, CudaCheck.describe("cuPointerGetAttribute", code)));
            }
            CudaCheck.ok("cuPointerGetAttribute", code, StatusCode.UNIMPLEMENTED);
            return value.get(ValueLayout.JAVA_LONG, 0);
        }
    }
}
