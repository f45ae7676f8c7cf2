/// All paths there are for tensors between two processes of one host, each with two processes of its own, and the
/// command that measures them beside each other: [io.tensorferry.it.benchmark.contest.TransferBenchmark].
package io.tensorferry.it.benchmark.contest;
