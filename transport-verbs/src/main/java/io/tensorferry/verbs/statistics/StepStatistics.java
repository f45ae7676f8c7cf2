package io.tensorferry.verbs.statistics;

import java.time.Duration;

/// The steps of a worker at one moment.
///
/// @param open that this worker or a peer has named, and that are not closed
/// @param own of these, those that this worker has named itself, which it is to finish or close. At 1,000 it warns,
/// once
/// @param oldestOwn how long the oldest of them has been open; 0 if there is none
/// @param droppedSends sends that nobody had asked for when their step was closed, since the start
public record StepStatistics(int open, int own, Duration oldestOwn, long droppedSends) {}
