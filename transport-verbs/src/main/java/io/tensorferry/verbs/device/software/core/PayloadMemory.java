package io.tensorferry.verbs.device.software.core;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// Registered memory that payload is read from or written to, for as long as access is permitted.
///
/// Threading: on the loop only. References must not be kept after access ends.
public sealed interface PayloadMemory permits SoftwareMemoryRegion, RemoteAccess {
    /// The largest view; a [ByteBuffer] holds less than 2 GiB.
    long MAX_VIEW_BYTES = 1L << 30;

    /// Whether access is still permitted; false once revocation has begun. A transfer in progress checks this before
    /// each step.
    boolean isOpen();

    /// The bytes at an address, without a copy.
    ///
    /// @throws IndexOutOfBoundsException if the region does not contain them all
    MemorySegment slice(long address, long length);

    /// Copies `length` bytes of `source` to an address.
    ///
    /// @throws IndexOutOfBoundsException if the region does not contain them all
    void put(long address, MemorySegment source, long offset, long length);

    /// Copies `length` bytes from an address to `target`.
    ///
    /// @throws IndexOutOfBoundsException if the region does not contain them all
    void take(long address, MemorySegment target, long offset, long length);

    /// The bytes at an address, at most [#MAX_VIEW_BYTES] of them, as a direct buffer without a copy.
    ///
    /// @throws IndexOutOfBoundsException if the region does not contain them all
    default ByteBuffer view(long address, long length) {
        return slice(address, Math.min(length, MAX_VIEW_BYTES)).asByteBuffer();
    }
}
