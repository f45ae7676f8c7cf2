/// `tensorferry serve` on one machine and `tensorferry check` on another: tests whether the two reach each other,
/// reports the negotiated parameters, and times tensors.
///
/// Both are workers of a small cluster: job `serve` with one task, job `check` with a task for each caller. The caller
/// dials. Then the two exchange notes and tensors under keys of one step, whose number is the channel's.
///
/// ```
/// check                              serve
///   plan: version, sizes, rounds -->
///                                <-- answer: version and device, or the reason for a refusal
///   receives tensors of each size
///   go                           -->
///                                    receives tensors of each size
///                                <-- report: timings
/// ```
///
/// Each end decides independently whether its tensors are in host memory or on a GPU ([Residence]). An end without GPU
/// support takes part like any other. The locations in answer and report are informative only.
package io.tensorferry.cli.check;
