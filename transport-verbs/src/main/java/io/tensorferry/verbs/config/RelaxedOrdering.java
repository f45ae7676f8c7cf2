package io.tensorferry.verbs.config;

import java.util.Locale;

/// Whether a device may let the bytes of messages reach memory in any order (`RDMA_RELAXED_ORDERING`).
///
/// A completion still comes behind all bytes of its message and of those before it, and nothing here looks at memory
/// before it has polled one.
public enum RelaxedOrdering {
    /// In host memory; not in that of accelerators, which a device reaches on another way than its completions take.
    AUTO,
    /// In all memory.
    ON,
    /// In none.
    OFF;

    /// Whether host memory is registered so.
    public boolean ofHostMemory() {
        return this != OFF;
    }

    /// Whether memory of accelerators is registered so.
    public boolean ofAccelerators() {
        return this == ON;
    }

    /// As it is written in the variable: `auto`, `on`, `off`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
