/// Tensors in memory of an accelerator: on which one they are, how their content is written and compared, and what
/// copies by themselves come to, without a transport.
package io.tensorferry.it.benchmark.gpu;
