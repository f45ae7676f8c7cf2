/// The parts of a measurable path between two processes: a [io.tensorferry.it.benchmark.exchange.TensorProducer] that
/// provides tensors and a [io.tensorferry.it.benchmark.exchange.TensorConsumer] that requests them.
/// [io.tensorferry.it.benchmark.exchange.ConsumerPath] requests, times and checks tensors in the same way for all
/// paths.
package io.tensorferry.it.benchmark.exchange;
