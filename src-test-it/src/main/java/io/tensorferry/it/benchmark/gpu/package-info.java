/// Tensors in an accelerator's memory: selects the accelerator, writes and compares content, and measures the
/// accelerator's copies without a transport.
package io.tensorferry.it.benchmark.gpu;
