/// The verbs vocabulary over libibverbs: InfiniBand, RoCE, and the kernel's Soft-RoCE.
///
/// One class for each object of libibverbs, in order of dependency: provider, device, completion channel, completion
/// queue, protection domain, memory region, queue pair. These classes add the checks that libibverbs leaves to its
/// caller, so that all kinds of devices give the same guarantees: arguments that a driver would not check are
/// validated, no queue overruns, no completion of a destroyed queue pair is delivered, and no object is closed while
/// another uses it.
///
/// Only the code that lists the providers uses this package directly; all other code uses the interfaces.
package io.tensorferry.verbs.device.ibverbs;
