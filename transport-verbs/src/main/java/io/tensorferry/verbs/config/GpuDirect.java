package io.tensorferry.verbs.config;

import java.util.Locale;

/// Whether the RDMA device accesses accelerator memory directly (`RDMA_GPU_DIRECT`), instead of host memory that is
/// copied to and from the accelerator.
public enum GpuDirect {
    /// Uses direct access where the device supports it.
    AUTO,
    /// Requires direct access: a worker does not start if the device cannot reach the memory of one of its
    /// accelerators.
    ON,
    /// Never attempts direct access.
    OFF;

    /// The value of the variable: `auto`, `on` or `off`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
