package io.tensorferry.verbs.device;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/// What memory regions and queue pairs belong to: a queue pair reaches only regions of its own domain.
///
/// Threading: any thread.
public interface ProtectionDomain extends AutoCloseable {
    /// Registers memory with the device, which may then read it and, as `access` says, let it be written or read by
    /// peers.
    ///
    /// @param memory off-heap memory of at least one byte, accessible from every thread; the caller keeps it alive
    ///     until the region is closed
    /// @throws IllegalArgumentException if `access` grants remote writes but not local ones, or the memory is empty
    ///     or on the heap
    /// @throws VerbsException if the device refuses, for example because the memory cannot be pinned
    MemoryRegion register(MemorySegment memory, Set<AccessFlag> access);

    /// Makes a reliable-connected queue pair in state RESET.
    ///
    /// @throws VerbsException if the device refuses
    QueuePair createQueuePair(QueuePairOptions options);

    /// @throws VerbsException if regions or queue pairs of this domain are still open
    @Override
    void close();
}
