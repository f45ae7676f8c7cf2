package io.tensorferry.it.benchmark.verbs;

/// How work requests are posted when throughput is measured, the same for the C programs and for ours.
///
/// @param depth work requests under way at a time, on each queue pair
/// @param signalEvery every how many of them one is signalled; divides `depth`
/// @param queues `list` divides `depth`
record Posting(int depth, int signalEvery, Queues queues) {
    static final int DEEPEST = 64;

    private static final int SHALLOWEST = 4;
    private static final long BYTES_UNDER_WAY = 16L << 20;
    private static final int SIGNALS_PER_DEPTH = 4;

    /// For messages of `bytes` bytes: few of the long ones, so that a measurement can be short.
    static Posting of(long bytes, Queues queues) {
        long fitting = Long.highestOneBit(BYTES_UNDER_WAY / Math.max(1, bytes));
        int depth = queues.depth() > 0 ? queues.depth() : Math.clamp(fitting, SHALLOWEST, DEEPEST);
        if (queues.list() == 1) {
            return new Posting(depth, Math.max(1, depth / SIGNALS_PER_DEPTH), queues);
        }
        // Where it posts lists, perftest signals the last of each.
        int list = Math.min(queues.list(), depth);
        return new Posting(depth / list * list, list, new Queues(queues.lanes(), list, queues.depth()));
    }

    /// How many messages each queue pair moves, so that all together move at least `count` and each list is full.
    int countPerLane(int count) {
        int unit = queues.list();
        int perLane = (count + queues.lanes() - 1) / queues.lanes();
        return (perLane + unit - 1) / unit * unit;
    }
}
