package io.tensorferry.api.partition;

/// Receives progress reports of a [PartitionedTensor#gather].
@FunctionalInterface
public interface GatherProgress {
    /// Reports how many rows have been written to the result.
    ///
    /// Threading: runs on the callback executor, one call at a time, and every call precedes the completion of the
    /// gather's future. Rows that arrive during a call are combined into the next call. Rows arrive in any order; the
    /// call does not identify them. Exceptions are logged.
    ///
    /// @param arrived rows written so far; increases with each call
    /// @param asked rows in total
    void onRows(long arrived, long asked);
}
