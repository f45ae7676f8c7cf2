package io.tensorferry.verbs.device.software.loop;

import io.tensorferry.verbs.device.software.core.Bell;

/// Work of a device that threads of the application do while they post and poll: the rings of shared memory.
///
/// Threading: any thread, but for [#serve()].
public interface PolledWork {
    /// Whether a peer left work that nobody has served yet.
    boolean isRung();

    /// Serves the work that peers left. On the loop.
    void serve();

    /// The caller leaves the remaining work to another thread.
    void leave();

    /// A thread polls a completion queue of this device.
    void polled();

    /// Returns when every copy that was in progress at the call has ended. On the loop or not.
    void awaitCopies();

    Bell newBell();
}
