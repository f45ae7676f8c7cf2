package io.tensorferry.verbs.device.software.loop;

import io.tensorferry.verbs.device.software.core.Bell;

/// Work of a device that application threads do while they post and poll: the rings of shared memory.
///
/// Threading: any thread, except [#serve()].
public interface PolledWork {
    /// Whether a peer has left unserved work.
    boolean isRung();

    /// Serves the work that peers left. On the loop.
    void serve();

    /// Leaves the remaining work to another thread.
    void leave();

    /// Records that a thread polls a completion queue of this device.
    void polled();

    /// Returns when every copy that was in progress at the call has ended. On the loop or not.
    void awaitCopies();

    Bell newBell();
}
