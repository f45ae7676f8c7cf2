/// Tensors by `recvAsync`, over this library's own protocols: the path that all others are compared with; and what
/// a pair of workers is, for it and for edges.
package io.tensorferry.it.benchmark.rendezvous;
