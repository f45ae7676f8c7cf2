package io.tensorferry.verbs.device;

/// Grants a peer access to part of a memory region (`ibv_mw` of type 2) with a separate rkey.
///
/// The window is valid from the work request that binds it until the work request that invalidates it. Only the peer of
/// the queue pair that bound the window can use it, only for the bound range, and only with the bound access.
///
/// | state | event | next |
/// |---|---|---|
/// | free | [SendWorkRequest.Opcode#BIND_MW] is posted | bound |
/// | bound | [SendWorkRequest.Opcode#LOCAL_INV] is posted on the same queue pair | free |
/// | bound | that queue pair is reset or destroyed | closed |
/// | any | [#close()] | closed |
///
/// A queue pair executes both in posting order, together with its other work requests. The peer therefore has access
/// once the bind has completed, and no access once the invalidation has completed or [#close()] has returned.
///
/// Enforcement depends on the device: Soft-RoCE accepts any range of the memory region, not only the range of the
/// window.
///
/// Threading: any thread.
public interface MemoryWindow extends AutoCloseable {
    /// The rkey of the most recently posted bind, for the peer; before the first bind, an rkey without access. Each
    /// bind changes its low 8 bits, so an rkey repeats after 256 binds.
    int remoteKey();

    /// Whether a bind was posted, and neither an invalidation nor the end of its queue pair has followed.
    boolean isBound();

    /// Deallocates the window, bound or not. Peers have no access once this method has returned. A pending work request
    /// that names the window fails.
    @Override
    void close();
}
