package io.tensorferry.api;

/// Is told how far a gather is.
@FunctionalInterface
public interface GatherProgress {
    /// More rows are in their places. Runs on a thread of the transport that others wait for, one call after the other,
    /// and must not block. Which rows these are is not said: they come in any order.
    ///
    /// @param arrived rows so far, more with each call
    /// @param asked rows in all
    void onRows(long arrived, long asked);
}
