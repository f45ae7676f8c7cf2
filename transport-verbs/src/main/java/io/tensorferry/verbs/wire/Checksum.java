package io.tensorferry.verbs.wire;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/// The checksum of a tensor's content in data-validation mode: CRC32C (RFC 3720, the Castagnoli polynomial) of the
/// bytes that travel.
public final class Checksum {
    /// No more than a byte buffer can span; a power of two, so that slices keep the content's alignment.
    private static final long SLICE_BYTES = 1L << 30;

    private Checksum() {}

    /// 0 to 2^32 - 1; 0 for empty content. Reads every byte once, which takes about 0.1 s per GiB; no copy.
    public static long of(MemorySegment content) {
        return of(content, SLICE_BYTES);
    }

    static long of(MemorySegment content, long sliceBytes) {
        var crc = new CRC32C();
        long size = content.byteSize();
        for (long offset = 0; offset < size; offset += sliceBytes) {
            crc.update(
                    content.asSlice(offset, Math.min(sliceBytes, size - offset)).asByteBuffer());
        }
        return crc.getValue();
    }
}
