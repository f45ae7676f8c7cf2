package io.tensorferry.verbs.memory;

/// Creates the slabs of a pool: allocates their memory and registers it with devices.
///
/// Threading: any thread. A pool opens one slab at a time.
@FunctionalInterface
public interface SlabSource {
    /// Allocates the memory of a slab and registers it with its devices, which takes milliseconds.
    ///
    /// @param bytes a multiple of 64
    /// @return the storage, which the caller deregisters and then frees
    /// @throws io.tensorferry.api.TransportException `RESOURCE_EXHAUSTED` if there is no memory, or it cannot be
    ///     pinned; another code if a device rejects it for another reason
    SlabStorage open(long bytes);
}
