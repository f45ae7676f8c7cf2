package io.tensorferry.verbs.device.software.core;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// Registered memory that payload goes to or comes from, as long as that is allowed.
///
/// Threading: on the loop only, and nothing of it is kept beyond its end.
public sealed interface PayloadMemory permits SoftwareMemoryRegion, RemoteAccess {
    /// The largest view at once; a [ByteBuffer] ends below 2 GiB.
    long MAX_VIEW_BYTES = 1L << 30;

    /// False from the moment that access ended: whoever is in the middle of a transfer asks again before each step.
    boolean isOpen();

    /// The bytes at an address, without a copy.
    ///
    /// @throws IndexOutOfBoundsException if they are not all in the region
    MemorySegment slice(long address, long length);

    /// Puts `length` bytes of `source` at an address.
    ///
    /// @throws IndexOutOfBoundsException if they are not all in the region
    void put(long address, MemorySegment source, long offset, long length);

    /// Takes `length` bytes from an address into `target`.
    ///
    /// @throws IndexOutOfBoundsException if they are not all in the region
    void take(long address, MemorySegment target, long offset, long length);

    /// The bytes at an address, at most [#MAX_VIEW_BYTES] of them, as a direct buffer without a copy.
    ///
    /// @throws IndexOutOfBoundsException if they are not all in the region
    default ByteBuffer view(long address, long length) {
        return slice(address, Math.min(length, MAX_VIEW_BYTES)).asByteBuffer();
    }
}
