package io.tensorferry.verbs.partition;

import io.tensorferry.api.partition.GatherOptions;

/// The rules that turn the rows of one gather into reads. Immutable.
///
/// @param rowBytes 1 or more
/// @param direct whether the device can write the result; if not, all rows are copied into it
/// @param sorted whether reads are in the order of their addresses
/// @param merged whether adjacent rows, and repetitions of a row, form one read
/// @param copies whether adjacent rows with separate places in the result are also merged, and copied
record ReadRules(long rowBytes, boolean direct, boolean sorted, boolean merged, boolean copies) {
    /// The longest read of several rows directly into the result, in bytes.
    static final int MOST_DIRECT_BYTES = 1 << 20;
    /// The longest read of several rows that are then copied, in bytes.
    static final int MOST_COPIED_BYTES = 1 << 16;

    static ReadRules of(GatherOptions options, long rowBytes, boolean direct) {
        return new ReadRules(
                rowBytes,
                direct,
                options.sorted(),
                options.merged(),
                !direct || rowBytes <= options.mostCopiedRowBytes());
    }

    long mostRows(boolean copied) {
        return Math.max(1, (copied ? MOST_COPIED_BYTES : MOST_DIRECT_BYTES) / rowBytes);
    }
}
