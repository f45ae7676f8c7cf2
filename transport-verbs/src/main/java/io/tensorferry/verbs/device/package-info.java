/// The verbs vocabulary: what a reliable-connected RDMA device does, as small interfaces, and the values that
/// describe it.
///
/// The layers above (memory, channel, rendezvous) know devices only through this package. It is implemented over
/// libibverbs and in user space; every implementation passes the same contract suite. Names and semantics are those
/// of the verbs man pages (rdma-core).
///
/// Ownership: children are closed before their parents: queue pairs, then completion queues, then memory regions,
/// protection domains and completion channels, then the device. Closing a parent that has children is an error.
package io.tensorferry.verbs.device;
