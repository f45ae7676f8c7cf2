package io.tensorferry.verbs.device;

/// What may be done with a memory region, or through a queue pair. The device may always read a region locally.
public enum AccessFlag {
    LOCAL_WRITE,
    /// Needs [#LOCAL_WRITE] on a memory region.
    REMOTE_WRITE,
    REMOTE_READ,
    /// For a memory region alone: windows may be bound to it, see [MemoryWindow].
    MW_BIND
}
