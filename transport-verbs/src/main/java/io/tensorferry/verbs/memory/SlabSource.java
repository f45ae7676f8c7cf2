package io.tensorferry.verbs.memory;

/// Where the slabs of a pool come from: whose memory it is, and which devices are told of it.
///
/// Threading: any thread. A pool opens one slab at a time.
@FunctionalInterface
public interface SlabSource {
    /// Allocates the memory of a slab and makes it known to the devices that are to reach it, which takes
    /// milliseconds.
    ///
    /// @param bytes a multiple of 64
    /// @return what the caller ends, in its two steps
    /// @throws io.tensorferry.api.TransportException `RESOURCE_EXHAUSTED` if there is no memory, or it cannot be
    ///     pinned; another code if a device refuses it for another reason
    SlabStorage open(long bytes);
}
