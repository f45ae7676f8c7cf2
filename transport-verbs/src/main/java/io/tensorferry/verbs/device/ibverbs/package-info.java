/// The verbs vocabulary over libibverbs: InfiniBand, RoCE, and the kernel's Soft-RoCE.
///
/// One class for each object of libibverbs, in the order in which they depend on each other: provider, device,
/// completion channel, completion queue, protection domain, memory region, queue pair. What libibverbs leaves to its
/// caller is done here, so that every kind of device keeps the same promises: an argument that a driver would not look
/// at is checked, a queue is never overrun, no completion of a queue pair that is gone comes, and nothing is closed
/// under what still uses it.
///
/// Called by whoever lists the providers; everybody else knows the interfaces alone.
package io.tensorferry.verbs.device.ibverbs;
