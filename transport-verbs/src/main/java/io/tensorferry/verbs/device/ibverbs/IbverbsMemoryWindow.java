package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.WindowVerbs;
import io.tensorferry.bindings.ibverbs.ibv_mw;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.support.WindowBinding;
import java.lang.foreign.MemorySegment;

/// An `ibv_mw` of type 2.
///
/// Threading: any thread. The poster of a work request for the window holds its monitor, so that the window is not
/// deallocated meanwhile.
final class IbverbsMemoryWindow implements MemoryWindow {
    private final IbverbsProtectionDomain domain;
    private final MemorySegment window;
    private final WindowBinding posted;

    IbverbsMemoryWindow(IbverbsProtectionDomain domain, MemorySegment window) {
        this.domain = domain;
        this.window = window;
        this.posted = new WindowBinding(this, ibv_mw.rkey(window));
    }

    IbverbsProtectionDomain domain() {
        return domain;
    }

    MemorySegment pointer() {
        return window;
    }

    WindowBinding posted() {
        return posted;
    }

    /// Drivers read the rkey of a bind from the structure, and expect their user to write the next rkey there.
    void writeKey(int key) {
        ibv_mw.rkey(window, key);
    }

    @Override
    public int remoteKey() {
        return posted.key();
    }

    @Override
    public boolean isBound() {
        return posted.isBound();
    }

    @Override
    public synchronized void close() {
        if (posted.close()) {
            int result = WindowVerbs.dealloc(window);
            posted.unbound();
            domain.forgetWindow();
            VerbsCheck.returnedErrno("ibv_dealloc_mw", result, () -> "a memory window is leaked");
        }
    }
}
