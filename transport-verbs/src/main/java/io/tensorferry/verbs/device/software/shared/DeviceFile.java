package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.Futex;
import io.tensorferry.bindings.MemoryFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A memory file through which peers notify a device: the peers map it and write to it.
///
/// Each direction of a queue pair has a line. A writer that put an entry into a ring sets the line's bit, then the bit
/// of the line's group of 64, and then checks for sleepers. The serving thread takes a group's bits and checks the
/// rings of those lines. Bits are hints: a false bit costs one check, a lost bit only a delay, because all rings are
/// checked periodically.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 8 | magic |
/// | 8 | 8 | the device's number, drawn at random |
/// | 64 | 8 | groups with a bit set |
/// | 128 | 4 | kinds of sleepers: [#AWAITING], [#COPY_THREAD] |
/// | 192 | 4 | futex word of the threads that await completions |
/// | 256 | 4 | futex word of the copy thread |
/// | 4096 | 512 | 64 groups of lines |
///
/// Threading: any thread.
final class DeviceFile {
    static final int LINES = 64 * 64;
    /// Threads sleep until a completion arrives. When woken, they serve the device first.
    static final int AWAITING = 1;
    /// The copy thread sleeps. It serves the device when no other thread does.
    static final int COPY_THREAD = 2;

    private static final long BYTES = 8192;
    private static final long MAGIC = 0x5446_5344_4556_3031L;
    private static final long AT_NUMBER = 8;
    private static final long AT_GROUPS = 64;
    private static final long AT_SLEEPERS = 128;
    private static final long AT_AWAITING_WORD = 192;
    private static final long AT_COPY_THREAD_WORD = 256;
    private static final long AT_LINES = 4096;

    private final MemorySegment memory;
    private final MemorySegment awaitingWord;
    private final MemorySegment copyThreadWord;

    private DeviceFile(MemorySegment memory) {
        this.memory = memory;
        this.awaitingWord = memory.asSlice(AT_AWAITING_WORD, Integer.BYTES);
        this.copyThreadWord = memory.asSlice(AT_COPY_THREAD_WORD, Integer.BYTES);
    }

    static MemoryFile create(long number, Arena arena) throws IOException {
        MemoryFile file = MemoryFile.create("tensorferry-device", BYTES, true, arena);
        file.memory().set(ValueLayout.JAVA_LONG, 0, MAGIC);
        file.memory().set(ValueLayout.JAVA_LONG, AT_NUMBER, number);
        return file;
    }

    static DeviceFile of(MemoryFile own) {
        return new DeviceFile(own.memory());
    }

    /// Maps a peer's device file.
    ///
    /// @throws IOException if the file cannot be mapped, or is not the file of device `number`
    static DeviceFile open(int process, int descriptor, long number, Arena arena) throws IOException {
        MemorySegment memory = MemoryFile.open(process, descriptor, true, arena);
        if (memory.byteSize() != BYTES
                || memory.get(ValueLayout.JAVA_LONG, 0) != MAGIC
                || memory.get(ValueLayout.JAVA_LONG, AT_NUMBER) != number) {
            throw new IOException("descriptor " + descriptor + " of process " + process + " is not the device's");
        }
        return new DeviceFile(memory);
    }

    /// Signals a new entry on a line. Writes before this call are visible to the thread that takes the bit.
    void mark(int line) {
        Words.setBits(memory, AT_LINES + 8L * (line >>> 6), 1L << line);
        Words.setBits(memory, AT_GROUPS, 1L << (line >>> 6));
    }

    /// Wakes a sleeper of this device, if there is one. Called after [#mark].
    void wake() {
        if (hasSleeper(AWAITING)) {
            wakeAwaiting();
        } else if (hasSleeper(COPY_THREAD)) {
            wakeCopyThread();
        }
    }

    boolean hasSleeper(int kind) {
        return (Words.getInt(memory, AT_SLEEPERS) & kind) != 0;
    }

    void wakeAwaiting() {
        Words.addInt(memory, AT_AWAITING_WORD, 1);
        Futex.wake(awaitingWord);
    }

    void wakeCopyThread() {
        Words.addInt(memory, AT_COPY_THREAD_WORD, 1);
        Futex.wake(copyThreadWord);
    }

    boolean isMarked() {
        return Words.getVolatile(memory, AT_GROUPS) != 0;
    }

    long takeGroups() {
        return Words.takeBits(memory, AT_GROUPS);
    }

    long takeLines(int group) {
        return Words.takeBits(memory, AT_LINES + 8L * group);
    }

    void addSleeper(int kind) {
        Words.setIntBits(memory, AT_SLEEPERS, kind);
    }

    void removeSleeper(int kind) {
        Words.clearIntBits(memory, AT_SLEEPERS, kind);
    }

    /// The value that [#sleepAwaiting] expects. Must be read before the last check for work.
    int awaitingWord() {
        return Words.getInt(memory, AT_AWAITING_WORD);
    }

    int copyThreadWord() {
        return Words.getInt(memory, AT_COPY_THREAD_WORD);
    }

    void sleepAwaiting(Futex futex, int expected, long timeoutNs) {
        futex.await(awaitingWord, expected, timeoutNs);
    }

    void sleepCopyThread(Futex futex, int expected, long timeoutNs) {
        futex.await(copyThreadWord, expected, timeoutNs);
    }
}
