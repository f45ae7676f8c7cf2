package io.tensorferry.cuda;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Converts error codes of the driver into exceptions with the driver's name and text of the error.
final class CudaCheck {
    private static final Logger LOG = LoggerFactory.getLogger(CudaCheck.class);

    private CudaCheck() {}

    /// Checks any driver function, except queries for the completion of work.
    ///
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the driver has no memory, otherwise `INTERNAL`
    static void ok(String function, int code) {
        if (code != Cuda.CUDA_SUCCESS()) {
            throw failure(function, code);
        }
    }

    /// As [#ok(String, int)], for calls whose failures all have the same meaning for the caller.
    static void ok(String function, int code, StatusCode meaning) {
        if (code != Cuda.CUDA_SUCCESS()) {
            throw new TransportException(meaning, describe(function, code));
        }
    }

    /// Checks a function that releases a resource: a failure is logged.
    static void ended(String function, int code, String left) {
        if (code != Cuda.CUDA_SUCCESS()) {
            LOG.warn("{}: {}", describe(function, code), left);
        }
    }

    static TransportException failure(String function, int code) {
        boolean noMemory = code == Cuda.CUDA_ERROR_OUT_OF_MEMORY();
        return new TransportException(
                noMemory ? StatusCode.RESOURCE_EXHAUSTED : StatusCode.INTERNAL, describe(function, code));
    }

    /// As `cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)`.
    static String describe(String function, int code) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(Cuda.C_POINTER);
            String name = Cuda.cuGetErrorName(code, text) == Cuda.CUDA_SUCCESS() ? string(text) : "CUDA error " + code;
            return Cuda.cuGetErrorString(code, text) == Cuda.CUDA_SUCCESS()
                    ? function + ": " + name + " (" + string(text) + ")"
                    : function + ": " + name;
        }
    }

    private static String string(MemorySegment pointer) {
        return pointer.get(Cuda.C_POINTER, 0).getString(0);
    }
}
