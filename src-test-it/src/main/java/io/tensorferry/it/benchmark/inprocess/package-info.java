/// What the JMH benchmarks (in `src/jmh`) measure within one process: both ends of a channel on the software device.
package io.tensorferry.it.benchmark.inprocess;
