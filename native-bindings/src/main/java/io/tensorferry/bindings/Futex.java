package io.tensorferry.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Sleeping on a word of memory that several processes have mapped.
///
/// The word is one `int`, aligned to 4 bytes. Whoever wants to wake a sleeper changes the word first. One object is
/// one sleeper's: [#await] by one thread at a time; [#wake] by any.
public final class Futex implements AutoCloseable {
    private static final int FUTEX_WAIT = 0;
    private static final int FUTEX_WAKE = 1;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final MemorySegment IGNORED = Arena.global().allocate(8);

    private final Arena arena = Arena.ofShared();
    private final MemorySegment timeout = arena.allocate(ValueLayout.JAVA_LONG, 2);
    private final MemorySegment state = arena.allocate(8);

    /// @throws IllegalStateException where [MemoryFile#obstacle()] says why not
    public Futex() {}

    /// Sleeps until somebody wakes this word's sleepers, unless it holds something else than `expected` already; also
    /// ends at a signal, and when the time has passed.
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

    /// Wakes everybody who sleeps on this word, in every process.
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

    /// When nobody sleeps with it any more.
    @Override
    public void close() {
        arena.close();
    }
}
