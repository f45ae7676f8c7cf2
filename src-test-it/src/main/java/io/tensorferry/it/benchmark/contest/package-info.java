/// All paths for tensors between two processes of one host, each with a separate pair of processes, and the command
/// that measures them side by side: [io.tensorferry.it.benchmark.contest.TransferBenchmark].
package io.tensorferry.it.benchmark.contest;
