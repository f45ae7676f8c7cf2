package io.tensorferry.api;

/// How the rows of a gather are read from other workers. The defaults are what is fastest; the rest is for measuring
/// what each of them is worth. Immutable.
///
/// @param queuePairs over how many queue pairs to each peer the reads go, evenly; 0 for all that its channel has
/// @param signalInterval of so many reads on a queue pair one asks for a completion, beside the last; 1 or more
/// @param sorted whether reads go by ascending address, so that the device has the translation of a page at hand that
///     it has just used
/// @param merged whether rows next to each other and rows asked for more than once are one read
/// @param mostCopiedRowBytes rows of up to so many bytes are one read with their neighbours even where their places in
///     the result are apart: they arrive in memory of the transport and are copied from there. A copy of a small row
///     costs less than a read; with 0 only rows whose places are neighbours, too, are merged
public record GatherOptions(
        int queuePairs, int signalInterval, boolean sorted, boolean merged, int mostCopiedRowBytes) {
    private static final GatherOptions DEFAULTS = new GatherOptions(0, 128, true, true, 4096);

    /// @throws IllegalArgumentException naming what is out of its range
    public GatherOptions {
        if (queuePairs < 0) {
            throw new IllegalArgumentException("queuePairs " + queuePairs + " must be 0 or more");
        }
        if (signalInterval < 1) {
            throw new IllegalArgumentException("signalInterval " + signalInterval + " must be 1 or more");
        }
        if (mostCopiedRowBytes < 0) {
            throw new IllegalArgumentException("mostCopiedRowBytes " + mostCopiedRowBytes + " must be 0 or more");
        }
    }

    public static GatherOptions defaults() {
        return DEFAULTS;
    }

    public GatherOptions withQueuePairs(int changed) {
        return new GatherOptions(changed, signalInterval, sorted, merged, mostCopiedRowBytes);
    }

    public GatherOptions withSignalInterval(int changed) {
        return new GatherOptions(queuePairs, changed, sorted, merged, mostCopiedRowBytes);
    }

    public GatherOptions withSorted(boolean changed) {
        return new GatherOptions(queuePairs, signalInterval, changed, merged, mostCopiedRowBytes);
    }

    public GatherOptions withMerged(boolean changed) {
        return new GatherOptions(queuePairs, signalInterval, sorted, changed, mostCopiedRowBytes);
    }

    public GatherOptions withMostCopiedRowBytes(int changed) {
        return new GatherOptions(queuePairs, signalInterval, sorted, merged, changed);
    }
}
