package io.tensorferry.verbs.config;

/// Options for moving tensors to and from accelerators. Immutable.
///
/// @param proxyBytes upper bound of the pinned host memory that stages transfers of one accelerator: half for sends,
///     half for receives; at least 4 pieces
/// @param pieceBytes bytes of the largest single copy and of one proxy; a multiple of 4,096, at most 32 MiB
/// @param piecesAtOnce pieces of one tensor in flight at the same time, 1 to 64
/// @param deviceMemory how accelerator memory is allocated, for results and for tensors of the server's allocator
public record AcceleratorOptions(long proxyBytes, int pieceBytes, int piecesAtOnce, MemoryOptions deviceMemory) {
    private static final int MOST_PIECES_AT_ONCE = 64;
    private static final int PIECE_UNIT = 4096;
    private static final long LARGEST_SLAB_BYTES = 32L << 20;

    /// @throws IllegalArgumentException if a value is out of its range
    public AcceleratorOptions {
        if (pieceBytes < PIECE_UNIT || pieceBytes > LARGEST_SLAB_BYTES || pieceBytes % PIECE_UNIT != 0) {
            throw new IllegalArgumentException("pieceBytes " + pieceBytes + " must be a multiple of " + PIECE_UNIT
                    + " in " + PIECE_UNIT + ".." + LARGEST_SLAB_BYTES);
        }
        if (piecesAtOnce < 1 || piecesAtOnce > MOST_PIECES_AT_ONCE) {
            throw new IllegalArgumentException("piecesAtOnce " + piecesAtOnce + " must be 1.." + MOST_PIECES_AT_ONCE);
        }
        if (proxyBytes < 4L * pieceBytes) {
            throw new IllegalArgumentException("proxyBytes " + proxyBytes + " must be 4 pieces or more, "
                    + 4L * pieceBytes + " bytes with pieces of " + pieceBytes);
        }
    }

    /// Returns the defaults: 256 MiB of proxies, and 8 pieces of 2 MiB in flight.
    public static AcceleratorOptions defaults() {
        // The default maximum is a share of host memory, which does not apply to an accelerator's memory.
        var deviceMemory = new MemoryOptions(64L << 20, MemoryOptions.UNLIMITED).withIdleBytes(1L << 30);
        return new AcceleratorOptions(256L << 20, 2 << 20, 8, deviceMemory);
    }

    /// Returns a copy with another [#proxyBytes].
    public AcceleratorOptions withProxyBytes(long bytes) {
        return new AcceleratorOptions(bytes, pieceBytes, piecesAtOnce, deviceMemory);
    }

    /// Returns a copy with another [#pieceBytes] and another [#piecesAtOnce].
    public AcceleratorOptions withPieces(int bytes, int atOnce) {
        return new AcceleratorOptions(proxyBytes, bytes, atOnce, deviceMemory);
    }

    /// Returns a copy with another [#deviceMemory].
    public AcceleratorOptions withDeviceMemory(MemoryOptions options) {
        return new AcceleratorOptions(proxyBytes, pieceBytes, piecesAtOnce, options);
    }

    /// The proxy bytes of one direction: half of [#proxyBytes], rounded down to whole pieces.
    public long shareBytes() {
        return proxyBytes / 2 / pieceBytes * pieceBytes;
    }

    /// Options for the pinned memory of one direction, bounded by [#shareBytes()].
    public MemoryOptions shareMemory() {
        return new MemoryOptions(Math.clamp(shareBytes(), pieceBytes, LARGEST_SLAB_BYTES), shareBytes());
    }
}
