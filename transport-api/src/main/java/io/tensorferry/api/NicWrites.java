package io.tensorferry.api;

/// When data that a NIC has written into an accelerator's memory becomes visible to the accelerator's later work.
public enum NicWrites {
    /// Visible to all work that is queued after the NIC's completion.
    VISIBLE,
    /// Visible after [Accelerator#flushNicWrites()].
    AFTER_FLUSH,
    /// Visibility cannot be established: a NIC must not write to this memory.
    UNUSABLE
}
