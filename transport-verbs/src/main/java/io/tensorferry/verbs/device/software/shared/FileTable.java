package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The table of the memory files from which a device sends payload. It is itself a memory file, which peers map
/// read-only.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 8, 8 | magic, the device's number |
/// | 16 | 8 | the number of files removed so far |
/// | 64 | 512 of 32 | an entry: 8 file number, 0 for none; 8 file size in bytes; 4 descriptor; 4 unused; 8 inode |
///
/// A file number is used once, so that the reuse of an entry is detectable. The inode shows whether the descriptor
/// still refers to the file: its owner closes the descriptor when the memory ends, and the kernel reassigns it.
///
/// Threading: one thread at a time writes; the peers' loops read.
final class FileTable {
    static final int PLACES = 512;

    private static final long MAGIC = 0x5446_5354_4142_3032L;
    private static final long AT_DEVICE = 8;
    private static final long AT_GONE = 16;
    private static final long AT_PLACES = 64;
    private static final long PLACE_BYTES = 32;
    private static final long AT_BYTES = 8;
    private static final long AT_DESCRIPTOR = 16;
    private static final long AT_INODE = 24;
    private static final long BYTES = (AT_PLACES + PLACES * PLACE_BYTES + 4095) & -4096;

    private final MemorySegment memory;

    private FileTable(MemorySegment memory) {
        this.memory = memory;
    }

    static MemoryFile create(long device, Arena arena) throws IOException {
        MemoryFile file = MemoryFile.create("tensorferry-files", BYTES, false, arena);
        file.memory().set(ValueLayout.JAVA_LONG, 0, MAGIC);
        file.memory().set(ValueLayout.JAVA_LONG, AT_DEVICE, device);
        return file;
    }

    static FileTable of(MemoryFile own) {
        return new FileTable(own.memory());
    }

    /// Maps a peer's table.
    ///
    /// @throws IOException if the table cannot be mapped, or is not the table of that device
    static FileTable open(Offer offer, Arena arena) throws IOException {
        MemorySegment memory = MemoryFile.open(offer.process(), offer.tableDescriptor(), false, arena);
        if (memory.byteSize() != BYTES
                || memory.get(ValueLayout.JAVA_LONG, 0) != MAGIC
                || memory.get(ValueLayout.JAVA_LONG, AT_DEVICE) != offer.device()) {
            throw new IOException("descriptor " + offer.tableDescriptor() + " of process " + offer.process()
                    + " is not the device's table of files");
        }
        return new FileTable(memory);
    }

    private static long at(int place) {
        return AT_PLACES + place * PLACE_BYTES;
    }

    /// @throws IOException if the kernel does not report the file's inode
    void put(int place, long number, MemoryFile file) throws IOException {
        long inode = file.inode();
        // After the reset of the file number, which invalidates the previous entry.
        VarHandle.storeStoreFence();
        memory.set(ValueLayout.JAVA_LONG, at(place) + AT_INODE, inode);
        memory.set(ValueLayout.JAVA_LONG, at(place) + AT_BYTES, file.memory().byteSize());
        memory.set(ValueLayout.JAVA_INT, at(place) + AT_DESCRIPTOR, file.descriptor());
        Words.setRelease(memory, at(place), number);
    }

    void remove(int place) {
        Words.setRelease(memory, at(place), 0);
        Words.setRelease(memory, AT_GONE, Words.getAcquire(memory, AT_GONE) + 1);
    }

    long gone() {
        return Words.getAcquire(memory, AT_GONE);
    }

    /// The file number at `place`; 0 for none.
    long number(int place) {
        return Words.getAcquire(memory, at(place));
    }

    /// Maps the file with this number read-only.
    ///
    /// @return null if the entry is empty or holds another file by now
    /// @throws IOException if the file cannot be mapped
    @Nullable
    MemorySegment map(int place, long wanted, int process, Arena arena) throws IOException {
        int descriptor = memory.get(ValueLayout.JAVA_INT, at(place) + AT_DESCRIPTOR);
        long inode = memory.get(ValueLayout.JAVA_LONG, at(place) + AT_INODE);
        // After the reads of the entry: a writer resets the file number before it changes the rest of the entry.
        VarHandle.loadLoadFence();
        if (number(place) != wanted || inode == 0) {
            return null;
        }
        return MemoryFile.open(process, descriptor, inode, false, arena);
    }
}
