package io.tensorferry.bindings;

import java.util.concurrent.atomic.AtomicBoolean;

/// A file descriptor that a library has made for this process, and that is closed once.
///
/// Threading: any thread. Whoever has it closes it.
public final class OwnedDescriptor implements AutoCloseable {
    private final int number;
    // A number that was closed may belong to another file soon.
    private final AtomicBoolean closed = new AtomicBoolean();

    /// @param number of an open file; from now on nobody else closes it
    public OwnedDescriptor(int number) {
        this.number = number;
    }

    /// Not to be used after [#close()].
    public int number() {
        return number;
    }

    /// The second and later calls do nothing.
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try (var call = new NativeCall()) {
            int _ = (int) LinuxCalls.CLOSE.invokeExact(call.state(), number);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }
}
