/// Tensors over UCX through its Java binding JUCX, by tagged messages: the consumer posts a receive into off-heap
/// memory and sends a request, the producer answers with a send. UCX chooses the protocol by length (eager, or a
/// rendezvous in which the receiver reads the sender's memory). Both ends poll, which is fastest with UCX.
///
/// `UCX_TLS` in the environment of both processes selects the transport.
package io.tensorferry.it.benchmark.ucx;
