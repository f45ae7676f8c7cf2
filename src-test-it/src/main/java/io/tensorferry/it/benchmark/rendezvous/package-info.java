/// Tensors by `recvAsync`, over this library's own protocols: the path that all others are compared with.
package io.tensorferry.it.benchmark.rendezvous;
