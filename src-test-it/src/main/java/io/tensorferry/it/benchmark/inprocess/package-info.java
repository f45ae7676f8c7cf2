/// The subjects of the JMH benchmarks (in `src/jmh`) within one process: both ends of a channel on the software device.
package io.tensorferry.it.benchmark.inprocess;
