package io.tensorferry.verbs.config;

import java.util.Locale;

/// Whether a device may write the bytes of messages to memory in any order (`RDMA_RELAXED_ORDERING`).
///
/// A completion still follows all bytes of its message and of earlier messages, and the transport reads memory only
/// after it has polled a completion.
public enum RelaxedOrdering {
    /// In host memory only. A device writes accelerator memory over a different path than its completions.
    AUTO,
    /// In all memory.
    ON,
    /// In no memory.
    OFF;

    /// Whether host memory is registered with relaxed ordering.
    public boolean ofHostMemory() {
        return this != OFF;
    }

    /// Whether accelerator memory is registered with relaxed ordering.
    public boolean ofAccelerators() {
        return this == ON;
    }

    /// The value of the variable: `auto`, `on` or `off`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
