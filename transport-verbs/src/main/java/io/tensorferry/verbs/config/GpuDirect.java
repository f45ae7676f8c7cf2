package io.tensorferry.verbs.config;

import java.util.Locale;

/// Whether the device is to read and write the memory of accelerators by itself (`RDMA_GPU_DIRECT`), instead of host
/// memory that is copied to them and from them.
public enum GpuDirect {
    /// Where it can.
    AUTO,
    /// A worker with an accelerator whose memory it cannot reach does not start.
    ON,
    /// It is not even tried.
    OFF;

    /// As it is written in the variable: `auto`, `on`, `off`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
