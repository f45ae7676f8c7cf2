/// `tensorferry serve` on one machine and `tensorferry check` on another: whether the two reach each other, what they
/// agree on, and how long tensors take.
///
/// Both are workers of a small cluster: job `serve` with one task, job `check` with a task for each caller. The caller
/// dials; then the two exchange notes and tensors under keys of one step, whose number is that of the channel.
///
/// ```
/// check                              serve
///   plan: version, sizes, rounds -->
///                                <-- answer: what it is and which device it has, or why it refuses
///   receives tensors of each size
///   go                           -->
///                                    receives tensors of each size
///                                <-- report: how long that took
/// ```
package io.tensorferry.cli.check;
