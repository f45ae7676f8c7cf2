package io.tensorferry.verbs.wire;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/// The checksum of a tensor's content in data-validation mode: CRC32C (RFC 3720, the Castagnoli polynomial) of the
/// transferred bytes.
///
/// Threading: not thread-safe; the checksum of a content sent in pieces belongs to one thread at a time.
public final class Checksum {
    /// At most what a byte buffer can span; a power of two, so that slices keep the content's alignment.
    private static final long SLICE_BYTES = 1L << 30;

    private final CRC32C crc = new CRC32C();

    /// Creates the checksum of empty content.
    public Checksum() {}

    /// Returns the checksum of `content`, 0 to 2^32 - 1; 0 for empty content. Reads every byte once without a copy, at
    /// about 0.1 s per GiB.
    public static long of(MemorySegment content) {
        return of(content, SLICE_BYTES);
    }

    static long of(MemorySegment content, long sliceBytes) {
        var checksum = new Checksum();
        checksum.add(content, sliceBytes);
        return checksum.value();
    }

    /// Adds the bytes that follow those added before.
    public void add(MemorySegment piece) {
        add(piece, SLICE_BYTES);
    }

    private void add(MemorySegment piece, long sliceBytes) {
        long size = piece.byteSize();
        for (long offset = 0; offset < size; offset += sliceBytes) {
            crc.update(
                    piece.asSlice(offset, Math.min(sliceBytes, size - offset)).asByteBuffer());
        }
    }

    /// The checksum of all bytes added.
    public long value() {
        return crc.getValue();
    }
}
