package io.tensorferry.verbs.device;

/// Memory that is registered with a device (`ibv_mr`).
public interface MemoryRegion extends AutoCloseable {
    /// The address of the first byte in this process.
    long address();

    long byteSize();

    /// The key for work requests of this process (lkey).
    int localKey();

    /// The key that a peer needs for remote access (rkey).
    int remoteKey();

    /// Whether the region contains `[address, address + length)`.
    default boolean contains(long address, long length) {
        long offset = address - address();
        return length >= 0 && offset >= 0 && offset <= byteSize() - length;
    }

    /// Deregisters the memory. The caller must ensure that no work request uses the region and that no peer accesses
    /// it. The memory itself is not freed.
    ///
    /// @throws VerbsException EBUSY if memory windows are bound to the region
    @Override
    void close();
}
