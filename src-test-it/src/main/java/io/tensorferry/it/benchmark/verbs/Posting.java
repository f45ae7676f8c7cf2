package io.tensorferry.it.benchmark.verbs;

/// How work requests are posted when throughput is measured, the same for the C programs and for ours.
///
/// @param depth work requests under way at a time
/// @param signalEvery every how many of them one is signalled; divides `depth`
record Posting(int depth, int signalEvery) {
    static final int DEEPEST = 64;

    private static final int SHALLOWEST = 4;
    private static final long BYTES_UNDER_WAY = 16L << 20;
    private static final int SIGNALS_PER_DEPTH = 4;

    /// For messages of `bytes` bytes: few of the long ones, so that a measurement can be short.
    static Posting of(long bytes) {
        long fitting = Long.highestOneBit(BYTES_UNDER_WAY / Math.max(1, bytes));
        int depth = Math.clamp(fitting, SHALLOWEST, DEEPEST);
        return new Posting(depth, depth / SIGNALS_PER_DEPTH);
    }
}
