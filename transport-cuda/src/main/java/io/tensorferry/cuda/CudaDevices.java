package io.tensorferry.cuda;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.CudaLibrary;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The GPUs that this process can use, or the reason that there are none. The driver library is loaded on the first
/// query.
///
/// Threading: any thread.
public sealed interface CudaDevices {
    /// The process can use GPUs.
    ///
    /// @param devices one or more, each at the index that is its ordinal
    record Found(List<CudaDescription> devices) implements CudaDevices {
        public Found {
            devices = List.copyOf(devices);
        }
    }

    /// The process cannot use a GPU.
    ///
    /// @param reason the obstacle, for the user
    /// @param cause the exception of the system, if there was one
    record Absent(String reason, @Nullable Throwable cause) implements CudaDevices {}

    /// Finds the GPUs. The first call may take several seconds, because it starts the driver.
    static CudaDevices find() {
        return switch (CudaLibrary.find()) {
            case CudaLibrary.Absent absent -> new Absent(absent.reason(), absent.cause());
            case CudaLibrary.Present _ -> list();
        };
    }

    /// Opens a GPU, which the caller closes after its last use.
    ///
    /// @param ordinal the number of the GPU in the result of [#find()]
    /// @throws TransportException `FAILED_PRECONDITION` with the reason if there is no GPU or it cannot be used here,
    ///     `NOT_FOUND` if there are only other GPUs, `INTERNAL` with the driver's error
    static CudaAccelerator open(int ordinal) {
        return switch (find()) {
            case Absent absent ->
                throw new TransportException(StatusCode.FAILED_PRECONDITION, absent.reason(), absent.cause());
            case Found found -> {
                List<CudaDescription> devices = found.devices();
                if (ordinal < 0 || ordinal >= devices.size()) {
                    throw new TransportException(
                            StatusCode.NOT_FOUND,
                            "there is no GPU:" + ordinal + "; the CUDA driver lists " + devices.size()
                                    + ", numbered from 0");
                }
                yield CudaAccelerator.open(devices.get(ordinal));
            }
        };
    }

    private static CudaDevices list() {
        int started = Cuda.cuInit(0);
        if (started != Cuda.CUDA_SUCCESS()) {
            // The absence of a GPU is one of its errors.
            return new Absent(CudaCheck.describe("cuInit", started), null);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            CudaCheck.ok("cuDeviceGetCount", Cuda.cuDeviceGetCount(count));
            int devices = count.get(ValueLayout.JAVA_INT, 0);
            if (devices == 0) {
                return new Absent("the CUDA driver lists no GPU", null);
            }
            var found = new ArrayList<CudaDescription>(devices);
            for (int ordinal = 0; ordinal < devices; ordinal++) {
                found.add(CudaAttributes.describe(ordinal));
            }
            return new Found(found);
        }
    }
}
