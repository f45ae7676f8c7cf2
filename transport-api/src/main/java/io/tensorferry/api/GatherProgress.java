package io.tensorferry.api;

/// Is told how far a gather is.
@FunctionalInterface
public interface GatherProgress {
    /// More rows are in their places. Runs where callbacks run, one call after the other and all before the gather's
    /// future completes. Who takes long over a call is told of the rows that came meanwhile in one call. Which rows
    /// these
    /// are is not said: they come in any order. What it throws is logged.
    ///
    /// @param arrived rows so far, more with each call
    /// @param asked rows in all
    void onRows(long arrived, long asked);
}
