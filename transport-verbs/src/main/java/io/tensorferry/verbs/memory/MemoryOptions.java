package io.tensorferry.verbs.memory;

/// How registered memory grows.
///
/// @param slabBytes bytes of one slab, which is registered at once; a multiple of 64, 4,096 or more. A larger
///     request gets a slab of its own
/// @param maximumBytes what all slabs together may take, 1 or more; [#UNLIMITED] for no limit. Memory that a user
///     registers does not count
public record MemoryOptions(long slabBytes, long maximumBytes) {
    /// A [#maximumBytes] that is never reached.
    public static final long UNLIMITED = Long.MAX_VALUE;

    private static final long DEFAULT_SLAB_BYTES = 64L << 20;
    static final long SMALLEST_SLAB_BYTES = 4096;

    /// @throws IllegalArgumentException if a value is out of its range
    public MemoryOptions {
        if (slabBytes < SMALLEST_SLAB_BYTES || slabBytes % Block.ALIGNMENT != 0) {
            throw new IllegalArgumentException("slabBytes " + slabBytes + " is not a multiple of " + Block.ALIGNMENT
                    + " of at least " + SMALLEST_SLAB_BYTES);
        }
        if (maximumBytes < 1) {
            throw new IllegalArgumentException("maximumBytes " + maximumBytes + " is not 1 or more");
        }
    }

    /// Slabs of 64 MiB, and no limit.
    public static MemoryOptions defaults() {
        return new MemoryOptions(DEFAULT_SLAB_BYTES, UNLIMITED);
    }
}
