/// How fast tensors arrive, over each path that they can take, measured side by side in one run.
///
/// [io.tensorferry.it.benchmark.TransferBenchmark] is the command; a new path implements
/// [io.tensorferry.it.benchmark.TransferPath] and gets its name in [io.tensorferry.it.benchmark.TransferPaths].
package io.tensorferry.it.benchmark;
