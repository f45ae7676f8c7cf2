package io.tensorferry.cli.devices;

import io.tensorferry.api.TransportException;
import io.tensorferry.cuda.CudaDescription;
import io.tensorferry.cuda.CudaDevices;
import java.util.List;

/// The GPUs of this machine, or why there is none.
sealed interface GpuListing {
    /// @param gpus one or more
    record Found(List<CudaDescription> gpus) implements GpuListing {}

    /// @param reason what is in the way
    record Absent(String reason) implements GpuListing {}

    /// Asks the CUDA driver, and loads it for that. A driver that fails is absence too: it must not hide the RDMA
    /// devices.
    static GpuListing find() {
        try {
            return switch (CudaDevices.find()) {
                case CudaDevices.Found found -> new Found(found.devices());
                case CudaDevices.Absent absent -> new Absent(absent.reason());
            };
        } catch (TransportException e) {
            return new Absent(String.valueOf(e.getMessage()));
        }
    }
}
