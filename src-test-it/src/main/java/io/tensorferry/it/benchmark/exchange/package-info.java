/// What it takes to be measured as a way of moving tensors from one process to another: a
/// [io.tensorferry.it.benchmark.exchange.TensorProducer] that has them, a
/// [io.tensorferry.it.benchmark.exchange.TensorConsumer] that asks for them, and nothing else. How they are asked for,
/// timed and checked is the same for all, and is done by [io.tensorferry.it.benchmark.exchange.ConsumerPath].
package io.tensorferry.it.benchmark.exchange;
