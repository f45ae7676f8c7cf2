package io.tensorferry.verbs.device;

/// Memory that is registered with a device.
public interface MemoryRegion extends AutoCloseable {
    /// The first byte's address in this process.
    long address();

    long byteSize();

    /// The key for work requests of this process.
    int localKey();

    /// The key that a peer needs for remote access (rkey).
    int remoteKey();

    /// Whether `[address, address + length)` lies in this region.
    default boolean contains(long address, long length) {
        long offset = address - address();
        return length >= 0 && offset >= 0 && offset <= byteSize() - length;
    }

    /// Ends the registration. The caller has seen to it that no work request uses it and no peer writes to it any
    /// more. The memory itself is untouched.
    ///
    /// @throws VerbsException EBUSY if windows are bound to it
    @Override
    void close();
}
