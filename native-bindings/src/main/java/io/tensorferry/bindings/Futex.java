package io.tensorferry.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Sleeps on a word of memory that several processes have mapped.
///
/// The word is one `int`, aligned to 4 bytes. The waker changes the word before it wakes the sleepers.
///
/// Threading: [#await] by one thread at a time per object; [#wake] by any thread.
public final class Futex implements AutoCloseable {
    private static final int FUTEX_WAIT = 0;
    private static final int FUTEX_WAKE = 1;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final MemorySegment IGNORED = Arena.global().allocate(8);

    private final Arena arena = Arena.ofShared();
    private final MemorySegment timeout = arena.allocate(ValueLayout.JAVA_LONG, 2);
    private final MemorySegment state = arena.allocate(8);

    /// @throws IllegalStateException if [MemoryFile#obstacle()] is not null
    public Futex() {}

    /// Sleeps until another thread or process wakes this word's sleepers; returns at once if the word does not hold
    /// `expected`. Also returns on a signal, and when the time has passed.
    ///
    /// @param timeoutNs nanoseconds, 0 or more
    public void await(MemorySegment word, int expected, long timeoutNs) {
        timeout.set(ValueLayout.JAVA_LONG, 0, timeoutNs / NANOS_PER_SECOND);
        timeout.set(ValueLayout.JAVA_LONG, 8, timeoutNs % NANOS_PER_SECOND);
        try {
            long _ = (long) LinuxCalls.FUTEX.invokeExact(
                    state, LinuxCalls.FUTEX_NUMBER, word, FUTEX_WAIT, expected, timeout, MemorySegment.NULL, 0);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// Wakes every thread that sleeps on this word, in every process.
    public static void wake(MemorySegment word) {
        try {
            long _ = (long) LinuxCalls.FUTEX.invokeExact(
                    IGNORED,
                    LinuxCalls.FUTEX_NUMBER,
                    word,
                    FUTEX_WAKE,
                    Integer.MAX_VALUE,
                    MemorySegment.NULL,
                    MemorySegment.NULL,
                    0);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// Call only when no thread sleeps with this object any more.
    @Override
    public void close() {
        arena.close();
    }
}
