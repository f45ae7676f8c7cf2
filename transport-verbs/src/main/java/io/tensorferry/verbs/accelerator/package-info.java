/// Tensors on accelerators: their memory, and the staging of their contents through pinned host memory.
///
/// [io.tensorferry.verbs.accelerator.AcceleratorUnit] holds the transport's state for one accelerator. A copy queue
/// with a dedicated thread keeps the completion loop from waiting for a driver. Proxies, separate for sends and
/// receives, are host memory that both the accelerator and the RDMA device can access. Slabs of accelerator memory hold
/// results. The package does not depend on channels or messages: the rendezvous layer decides what is copied when.
///
/// Liveness rule: a proxy is held only for work that ends by itself. A sender takes a proxy once the peer has named
/// memory, a receiver once the peer has the tensor. Because sends and receives never share proxies, two workers cannot
/// deadlock on each other's.
package io.tensorferry.verbs.accelerator;
