/// Registered memory: registered in large slabs, allocated in blocks.
///
/// [io.tensorferry.verbs.memory.RegisteredMemory] is the entry point, one per protection domain. The channel and
/// rendezvous layers call it, and users get its [io.tensorferry.api.TensorAllocator]. Below it are slabs with one arena
/// and one registration each, a pool that allocates their blocks (best fit, with coalescing of free neighbours), and a
/// table that finds the registration of an address.
///
/// Safety rule: the pool may reuse a released block at once. A buffer or tensor must therefore not be closed while a
/// device may still access it; the layers above wait for the completion, or for the queue pair to leave RTS.
package io.tensorferry.verbs.memory;
