/// How the cost of a receive grows with what else there is: receives outstanding, tensors in a step, peers, bytes. And
/// what an idle channel costs, in time of the processor and in memory.
///
/// [io.tensorferry.it.benchmark.growth.GrowthBenchmark] is the command; a
/// [io.tensorferry.it.benchmark.growth.GrowthSeries] is one line of its charts.
package io.tensorferry.it.benchmark.growth;
