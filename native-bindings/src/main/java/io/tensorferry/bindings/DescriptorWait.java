package io.tensorferry.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// Sleeps until a file descriptor is readable or another thread wakes the sleeper.
///
/// Threading: [#await] by one thread at a time; [#wakeUp()] by any thread. [#close()] only when no thread awaits any
/// more.
public final class DescriptorWait implements AutoCloseable {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final StructLayout POLL_FD =
            MemoryLayout.structLayout(INT.withName("fd"), ValueLayout.JAVA_SHORT, ValueLayout.JAVA_SHORT);
    private static final long EVENTS_OFFSET = 4;
    private static final long REVENTS_OFFSET = 6;
    private static final short POLLIN = 1;
    private static final int EFD_NONBLOCK_CLOEXEC = 0x800 | 0x80000;
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private static final MethodHandle EVENTFD = NativeCall.function("eventfd", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle FCNTL =
            NativeCall.function("fcntl", FunctionDescriptor.of(INT, INT, INT, INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle PPOLL = plain(
            "ppoll", FunctionDescriptor.of(INT, ValueLayout.ADDRESS, LONG, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    private static final MethodHandle READ = plain("read", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG));
    private static final MethodHandle WRITE =
            plain("write", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG));
    private static final MethodHandle CLOSE = plain("close", FunctionDescriptor.of(INT, INT));
    private static final MemorySegment ONE = Arena.global().allocateFrom(LONG, 1);

    private final Arena arena = Arena.ofShared();
    private final MemorySegment descriptors = arena.allocate(POLL_FD, 2);
    private final MemorySegment timeout = arena.allocate(LONG, 2);
    private final MemorySegment count = arena.allocate(LONG);
    private final int wakeDescriptor;
    // Guarded by this: the number of a closed descriptor may soon belong to another file.
    private boolean closed;

    /// @param descriptor the descriptor to wait for; its owner keeps it, and it is non-blocking from now on
    /// @throws IllegalStateException if the process has too many open files
    public DescriptorWait(int descriptor) {
        try {
            neverBlock(descriptor);
            wakeDescriptor = newEventDescriptor();
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
        descriptors.set(INT, 0, descriptor);
        descriptors.set(ValueLayout.JAVA_SHORT, EVENTS_OFFSET, POLLIN);
        descriptors.set(INT, POLL_FD.byteSize(), wakeDescriptor);
        descriptors.set(ValueLayout.JAVA_SHORT, POLL_FD.byteSize() + EVENTS_OFFSET, POLLIN);
    }

    private static void neverBlock(int descriptor) {
        try (var call = new NativeCall()) {
            int flags = (int) FCNTL.invokeExact(call.state(), descriptor, F_GETFL, 0);
            int set =
                    flags < 0 ? flags : (int) FCNTL.invokeExact(call.state(), descriptor, F_SETFL, flags | O_NONBLOCK);
            if (set < 0) {
                throw new IllegalStateException(
                        "fcntl of the descriptor " + descriptor + " failed with errno " + call.errno());
            }
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    private static int newEventDescriptor() {
        try (var call = new NativeCall()) {
            int descriptor = (int) EVENTFD.invokeExact(call.state(), 0, EFD_NONBLOCK_CLOEXEC);
            if (descriptor < 0) {
                throw new IllegalStateException("eventfd failed with errno " + call.errno()
                        + ": the process or the system has too many open files (ulimit -n)");
            }
            return descriptor;
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// Returns a handle of a function whose `errno` is not needed.
    private static MethodHandle plain(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
    }

    /// Waits until the descriptor is readable, [#wakeUp()] is called, a signal arrives, or the time has passed.
    ///
    /// @param timeoutNs nanoseconds, 0 or more
    /// @return whether the descriptor is readable or has failed; reading it shows which
    public boolean await(long timeoutNs) {
        timeout.set(LONG, 0, timeoutNs / NANOS_PER_SECOND);
        timeout.set(LONG, LONG.byteSize(), timeoutNs % NANOS_PER_SECOND);
        try {
            int ready = (int) PPOLL.invokeExact(descriptors, 2L, timeout, MemorySegment.NULL);
            if (ready <= 0) {
                return false;
            }
            if (readyEvents(1) != 0) {
                long _ = (long) READ.invokeExact(wakeDescriptor, count, LONG.byteSize());
            }
            return readyEvents(0) != 0;
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    private short readyEvents(int index) {
        return descriptors.get(ValueLayout.JAVA_SHORT, index * POLL_FD.byteSize() + REVENTS_OFFSET);
    }

    /// Ends the current wait, or else the next one.
    public synchronized void wakeUp() {
        if (closed) {
            return;
        }
        try {
            long _ = (long) WRITE.invokeExact(wakeDescriptor, ONE, LONG.byteSize());
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            int _ = (int) CLOSE.invokeExact(wakeDescriptor);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
        arena.close();
    }
}
