/// The verbs vocabulary: small interfaces for the objects of a reliable-connected RDMA device, and the values that
/// describe it.
///
/// The layers above (memory, channel, rendezvous) use devices only through this package. Implementations exist over
/// libibverbs and in user space, and all pass the same contract suite. Names and semantics follow the verbs man pages
/// (rdma-core).
///
/// Ownership: close children before their parents: queue pairs, then completion queues, then memory regions, protection
/// domains and completion channels, then the device. Closing a parent that has open children is an error.
package io.tensorferry.verbs.device;
