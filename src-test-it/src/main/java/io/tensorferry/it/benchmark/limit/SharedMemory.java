package io.tensorferry.it.benchmark.limit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// The two files that both ends map: a board of words for signalling, and the consumer's slots.
///
/// Each word has one writer and a separate cache line: the number of requests of a slot (written by the consumer), the
/// number of times it was filled (written by the producer). An acquiring read of a word makes the bytes written before
/// it visible.
final class SharedMemory {
    static final int MOST_SLOTS = 64;

    private static final Path FOLDER = Path.of("/dev/shm");
    private static final long LINE = 64;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final int HEAD = 4;

    private final Path boardFile;
    private final Path slotFile;
    private final MemorySegment board;

    SharedMemory(int port) {
        this.boardFile = FOLDER.resolve("tensorferry-" + port + "-board");
        this.slotFile = FOLDER.resolve("tensorferry-" + port + "-slots");
        this.board = map(boardFile, (HEAD + 2L * MOST_SLOTS) * LINE, Arena.global());
    }

    /// Maps the consumer's memory: contiguous page-aligned slots.
    MemorySegment mapSlots(long bytes, int slots, Arena arena) {
        return map(slotFile, Math.max(1, slots * stride(bytes)), arena);
    }

    static long stride(long bytes) {
        long page = 4096;
        return Math.max(page, (bytes + page - 1) / page * page);
    }

    /// The number of times that the consumer has created new slots.
    long layout() {
        return get(0);
    }

    /// Announces new slots, and returns when the producer has mapped them.
    void announce(long bytes, int slots) {
        set(2, bytes);
        set(3, slots);
        long layout = layout() + 1;
        set(0, layout);
        while (get(1) != layout) {
            Thread.onSpinWait();
        }
    }

    void acceptLayout(long layout) {
        set(1, layout);
    }

    long bytes() {
        return get(2);
    }

    int slots() {
        return (int) get(3);
    }

    long asked(int slot) {
        return get(HEAD + slot);
    }

    void ask(int slot, long times) {
        set(HEAD + slot, times);
    }

    long filled(int slot) {
        return get(HEAD + MOST_SLOTS + slot);
    }

    void fill(int slot, long times) {
        set(HEAD + MOST_SLOTS + slot, times);
    }

    private long get(int word) {
        return (long) WORD.getAcquire(board, word * LINE);
    }

    private void set(int word, long value) {
        WORD.setRelease(board, word * LINE, value);
    }

    private static MemorySegment map(Path file, long bytes, Arena arena) {
        try (var channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot map " + file, e);
        }
    }

    /// Deletes the files; mappings remain valid.
    void delete() {
        try {
            Files.deleteIfExists(boardFile);
            Files.deleteIfExists(slotFile);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + boardFile, e);
        }
    }
}
