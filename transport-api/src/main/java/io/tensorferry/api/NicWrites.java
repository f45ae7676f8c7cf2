package io.tensorferry.api;

/// Whether what a NIC writes into an accelerator's memory is there when the NIC says that it is written.
public enum NicWrites {
    /// It is there for all work that is queued afterwards.
    VISIBLE,
    /// It is there after [Accelerator#flushNicWrites()].
    AFTER_FLUSH,
    /// There is no way to know: a NIC must not write there.
    UNUSABLE
}
