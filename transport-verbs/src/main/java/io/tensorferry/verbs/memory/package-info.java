/// Memory that a device may read and write: registered once in big slabs, handed out in pieces.
///
/// [io.tensorferry.verbs.memory.RegisteredMemory] is the one way in, one per protection domain; the channel and
/// rendezvous layers call it, and a user gets its [io.tensorferry.api.TensorAllocator]. Below it: slabs of one
/// arena and one registration each, a pool that gives out their pieces (best fit, neighbours joined again when
/// freed), and a table that finds the registration of an address.
///
/// The rule that keeps it safe: what a piece's owner gives back may be somebody else's at once. So nobody closes a
/// buffer or a tensor while a device may still read or write it; the layers above wait for the completion, or for
/// the queue pair to be out of RTS.
package io.tensorferry.verbs.memory;
