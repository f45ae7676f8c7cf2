/// Tensors on accelerators: their memory, and the way of their contents through pinned host memory.
///
/// [io.tensorferry.verbs.accelerator.AcceleratorUnit] is all that the transport has of one accelerator: a queue of
/// copies, which a thread of its own does, so that the completion loop never waits for a driver; proxies, pieces of
/// host
/// memory that the accelerator and the RDMA device both know, apart for what is sent and for what is received; and
/// slabs of the accelerator's own memory, for results. It knows no channel and no message: the rendezvous layer says
/// what is copied when.
///
/// The rule that keeps it from standing still: a proxy is held only for work that ends by itself. Whoever sends takes
/// one when the peer has named memory, whoever receives when the peer has the tensor; and as the two never share one,
/// two workers cannot wait for each other's.
package io.tensorferry.verbs.accelerator;
