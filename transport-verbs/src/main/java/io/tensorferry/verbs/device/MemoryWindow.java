package io.tensorferry.verbs.device;

/// A part of a memory region that peers reach by a key of its own (`ibv_mw` of type 2), from the work request that
/// binds it until the one that invalidates it: only that range, with that access, and only the peer of the queue
/// pair on which it was bound.
///
/// | state | event | next |
/// |---|---|---|
/// | free | [SendWorkRequest.Opcode#BIND_MW] is posted | bound |
/// | bound | [SendWorkRequest.Opcode#LOCAL_INV] is posted on the same queue pair | free |
/// | bound | that queue pair is reset or destroyed | closed |
/// | any | [#close()] | closed |
///
/// A queue pair carries both out in the order posted, together with its other work. So a peer gets through a window
/// from the completion of the bind on, and no more after the completion of the invalidation, or after [#close()].
///
/// Devices differ in how well they guard: Soft-RoCE takes any range of the region, not only the window's.
///
/// Threading: any thread.
public interface MemoryWindow extends AutoCloseable {
    /// The key of the bind that was posted last, for the peer; before the first one, a key that opens nothing. Each
    /// bind changes its low 8 bits, so that a key comes back after 256 binds.
    int remoteKey();

    /// Whether a bind was posted, and since then neither an invalidation nor the end of its queue pair has come.
    boolean isBound();

    /// Gives the window back to the device. Nobody gets through it once this returned, bound or not; a work request
    /// that names it and has not completed fails.
    @Override
    void close();
}
