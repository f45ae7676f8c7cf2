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

/// The GPUs that this process can use: some, or none and why. Nothing of the driver is loaded before somebody asks.
///
/// Threading: any thread.
public sealed interface CudaDevices {
    /// There are some.
    ///
    /// @param devices one or more, each at the index that is its ordinal
    record Found(List<CudaDescription> devices) implements CudaDevices {
        public Found {
            devices = List.copyOf(devices);
        }
    }

    /// There is none.
    ///
    /// @param reason what is in the way, for the user
    /// @param cause what the system said, where it said more
    record Absent(String reason, @Nullable Throwable cause) implements CudaDevices {}

    /// Looks for them. Takes up to some seconds at its first call, when the driver starts.
    static CudaDevices find() {
        return switch (CudaLibrary.find()) {
            case CudaLibrary.Absent absent -> new Absent(absent.reason(), absent.cause());
            case CudaLibrary.Present _ -> list();
        };
    }

    /// Opens one, which the caller closes when nothing uses it any more.
    ///
    /// @param ordinal its number in what [#find()] gives
    /// @throws TransportException `FAILED_PRECONDITION` with the reason if there is none or it cannot be used here,
    ///     `NOT_FOUND` if there are others only, `INTERNAL` with what the driver says
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
            // No GPU is one of the reasons that it has.
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
