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
///
/// Where an end has its tensors, in host memory or on a GPU, is for that end alone to decide ([Residence]): an end that
/// knows nothing of GPUs takes part as any other. What it says of it in its answer and in its report is for people.
package io.tensorferry.cli.check;
