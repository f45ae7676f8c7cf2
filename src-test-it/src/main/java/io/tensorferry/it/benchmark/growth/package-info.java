/// Measures how the cost of a receive grows with the number of outstanding receives, tensors in a step, peers and
/// bytes; and the cost of an idle channel in CPU time and memory.
///
/// [io.tensorferry.it.benchmark.growth.GrowthBenchmark] is the command; a
/// [io.tensorferry.it.benchmark.growth.GrowthSeries] is one line of its charts.
package io.tensorferry.it.benchmark.growth;
