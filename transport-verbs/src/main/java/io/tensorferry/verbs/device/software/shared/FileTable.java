package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The memory files out of which a device's payload comes, for its peers to map: a memory file itself, which peers only
/// read.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 8, 8 | magic, the device's number |
/// | 16 | 8 | counts the files that are gone |
/// | 64 | 512 of 32 | a file: 8 its number, 0 for none; 8 its bytes; 4 its descriptor; 4 unused; 8 its inode |
///
/// A number is used once, so that a place that was given to another file is noticed. The inode shows whether the
/// descriptor still is that of the file: its owner closes it when the memory ends, and the kernel gives it away again.
///
/// Threading: written by one thread at a time, read by the peers' loops.
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

    /// Maps a peer's.
    ///
    /// @throws IOException if it cannot be had, or is not that of this device
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

    /// @throws IOException if the kernel does not tell which file it is
    void put(int place, long number, MemoryFile file) throws IOException {
        long inode = file.inode();
        // Behind the number 0 of the file that was here before.
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

    /// The file's number; 0 for none.
    long number(int place) {
        return Words.getAcquire(memory, at(place));
    }

    /// Maps the file that has this number, for reading.
    ///
    /// @return null if the place has another file by now, or none
    /// @throws IOException if the file cannot be mapped
    @Nullable
    MemorySegment map(int place, long wanted, int process, Arena arena) throws IOException {
        int descriptor = memory.get(ValueLayout.JAVA_INT, at(place) + AT_DESCRIPTOR);
        long inode = memory.get(ValueLayout.JAVA_LONG, at(place) + AT_INODE);
        // Behind what was read: the number goes before the rest of a place is written again.
        VarHandle.loadLoadFence();
        if (number(place) != wanted || inode == 0) {
            return null;
        }
        return MemoryFile.open(process, descriptor, inode, false, arena);
    }
}
