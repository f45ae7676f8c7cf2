package io.tensorferry.verbs.statistics;

import java.time.Duration;

/// A snapshot of the steps of a worker. Immutable.
///
/// @param open steps that this worker or a peer has named and that are not closed
/// @param own the steps of these that this worker has named, and must finish or close. The worker logs a warning once
///     when there are 1,000
/// @param oldestOwn how long the oldest of these has been open; 0 if there is none
/// @param droppedSends sends that nobody had requested when their step was closed, since the start
public record StepStatistics(int open, int own, Duration oldestOwn, long droppedSends) {}
