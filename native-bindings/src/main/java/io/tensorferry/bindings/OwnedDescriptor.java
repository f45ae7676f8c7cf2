package io.tensorferry.bindings;

import java.util.concurrent.atomic.AtomicBoolean;

/// A file descriptor that a library created for this process, and that is closed once.
///
/// Threading: any thread. The holder closes it.
public final class OwnedDescriptor implements AutoCloseable {
    private final int number;
    // The number of a closed descriptor may soon belong to another file.
    private final AtomicBoolean closed = new AtomicBoolean();

    /// @param number the number of an open file, which only this object closes from now on
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
