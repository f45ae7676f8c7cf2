package io.tensorferry.verbs.config;

/// How tensors get to an accelerator and from it. Immutable.
///
/// @param proxyBytes host memory that is pinned, at most, for tensors on their way to one accelerator or from it: half
///     for what is sent, half for what is received; 4 pieces or more
/// @param pieceBytes most of one copy and of one proxy; a multiple of 4,096, at most 32 MiB
/// @param piecesAtOnce pieces of one tensor that are on their way at the same time, 1 to 64
/// @param deviceMemory how the accelerator's own memory is taken, for results and for tensors of the server's allocator
public record AcceleratorOptions(long proxyBytes, int pieceBytes, int piecesAtOnce, MemoryOptions deviceMemory) {
    private static final int MOST_PIECES_AT_ONCE = 64;
    private static final int PIECE_UNIT = 4096;
    private static final long LARGEST_SLAB_BYTES = 32L << 20;

    /// @throws IllegalArgumentException if a value is out of its range
    public AcceleratorOptions {
        if (pieceBytes < PIECE_UNIT || pieceBytes > LARGEST_SLAB_BYTES || pieceBytes % PIECE_UNIT != 0) {
            throw new IllegalArgumentException("pieceBytes " + pieceBytes + " is not a multiple of " + PIECE_UNIT
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

    /// 256 MiB of proxies, 8 pieces of 2 MiB at once.
    public static AcceleratorOptions defaults() {
        // The share of host memory that is the default there says nothing of an accelerator's.
        var deviceMemory = new MemoryOptions(64L << 20, MemoryOptions.UNLIMITED).withIdleBytes(1L << 30);
        return new AcceleratorOptions(256L << 20, 2 << 20, 8, deviceMemory);
    }

    /// The same with other [#proxyBytes].
    public AcceleratorOptions withProxyBytes(long bytes) {
        return new AcceleratorOptions(bytes, pieceBytes, piecesAtOnce, deviceMemory);
    }

    /// The same with other pieces.
    public AcceleratorOptions withPieces(int bytes, int atOnce) {
        return new AcceleratorOptions(proxyBytes, bytes, atOnce, deviceMemory);
    }

    /// The same with other [#deviceMemory].
    public AcceleratorOptions withDeviceMemory(MemoryOptions options) {
        return new AcceleratorOptions(proxyBytes, pieceBytes, piecesAtOnce, options);
    }

    /// Of what is sent, and of what is received, half of [#proxyBytes] in whole pieces.
    public long shareBytes() {
        return proxyBytes / 2 / pieceBytes * pieceBytes;
    }

    /// How the memory of one share is taken: as much as there may be.
    public MemoryOptions shareMemory() {
        return new MemoryOptions(Math.clamp(shareBytes(), pieceBytes, LARGEST_SLAB_BYTES), shareBytes());
    }
}
