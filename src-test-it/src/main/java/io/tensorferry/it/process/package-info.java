/// Child processes of this project: starts them, exchanges lines with them, and ensures that they end. For the samples,
/// the benchmarks and the process tests.
package io.tensorferry.it.process;
