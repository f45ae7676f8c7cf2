/// Tensors by `recvAsync` over this library's protocols, the path that all others are compared with; and the pair of
/// workers that it shares with the edges.
package io.tensorferry.it.benchmark.rendezvous;
