/// Compares the verbs of this library with a C program, on one device, in one run.
///
/// [io.tensorferry.it.benchmark.verbs.VerbsBenchmark] is the command. It measures perftest's programs
/// ([io.tensorferry.it.benchmark.verbs.PerftestPath]), the device interfaces alone
/// ([io.tensorferry.it.benchmark.verbs.RawPath]) and `recvAsync` over them
/// ([io.tensorferry.it.benchmark.contest.TwoProcessPath]), each between a separate pair of processes.
package io.tensorferry.it.benchmark.verbs;
