package io.tensorferry.verbs.device;

/// Permissions of a memory region or of a queue pair. The device may always read a region locally.
public enum AccessFlag {
    LOCAL_WRITE,
    /// Requires [#LOCAL_WRITE] on a memory region.
    REMOTE_WRITE,
    REMOTE_READ,
    /// For memory regions only: allows memory windows to be bound, see [MemoryWindow].
    MW_BIND
}
