package io.tensorferry.bindings;

import io.tensorferry.bindings.LibraryLoader.Failure;
import io.tensorferry.bindings.LibraryLoader.Wanted;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Loads the CUDA driver library on the first query, and keeps the result.
final class CudaLoader {
    // These functions exist since CUDA 11.3 and 11.4 (2021).
    private static final LibraryLoader LOADER = new LibraryLoader(new Wanted(
            "libcuda",
            "libcuda.so.1",
            CudaLibrary.PATH_PROPERTY,
            List.of("cuFlushGPUDirectRDMAWrites", "cuDeviceGetUuid_v2"),
            "the CUDA driver of version 470 (CUDA 11.4)",
            "it comes with NVIDIA's driver, and in a container with NVIDIA's container runtime",
            Cuda::cuInit$address));

    static final CudaLibrary LIBRARY = library();

    private CudaLoader() {}

    static boolean has(String function) {
        return LOADER.has(function);
    }

    static @Nullable MemorySegment address(String function) {
        return LOADER.address(function);
    }

    private static CudaLibrary library() {
        Failure failure = LOADER.failure();
        return failure == null ? new CudaLibrary.Present() : new CudaLibrary.Absent(failure.reason(), failure.cause());
    }
}
