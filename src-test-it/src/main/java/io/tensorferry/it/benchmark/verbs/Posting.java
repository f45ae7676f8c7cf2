package io.tensorferry.it.benchmark.verbs;

/// The posting of work requests when throughput is measured, the same for the C programs and for this library.
///
/// @param depth work requests in flight on each queue pair
/// @param signalEvery every how many work requests one is signalled; divides `depth`
/// @param queues `list` divides `depth`
record Posting(int depth, int signalEvery, Queues queues) {
    static final int DEEPEST = 64;

    private static final int SHALLOWEST = 4;
    private static final long BYTES_UNDER_WAY = 16L << 20;
    private static final int SIGNALS_PER_DEPTH = 4;

    /// The posting for messages of `bytes` bytes. Long messages have a small depth, so that a measurement can be short.
    static Posting of(long bytes, Queues queues) {
        long fitting = Long.highestOneBit(BYTES_UNDER_WAY / Math.max(1, bytes));
        int depth = queues.depth() > 0 ? queues.depth() : Math.clamp(fitting, SHALLOWEST, DEEPEST);
        if (queues.list() == 1) {
            return new Posting(depth, Math.max(1, depth / SIGNALS_PER_DEPTH), queues);
        }
        // With lists, perftest signals the last request of each list.
        int list = Math.min(queues.list(), depth);
        return new Posting(depth / list * list, list, new Queues(queues.lanes(), list, queues.depth()));
    }

    /// The number of messages of each queue pair, such that all together move at least `count` and each list is full.
    int countPerLane(int count) {
        int unit = queues.list();
        int perLane = (count + queues.lanes() - 1) / queues.lanes();
        return (perLane + unit - 1) / unit * unit;
    }
}
