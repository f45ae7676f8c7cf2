package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// This device's memory files, by address.
///
/// Threading: any thread. The monitor guards changes; look-ups read an immutable snapshot.
final class OwnFiles {
    private static final Logger LOG = LoggerFactory.getLogger(OwnFiles.class);
    private static final long PAGE_BYTES = 4096;

    /// @param place the index in the [FileTable]
    record Mapped(long start, long end, int place, long number) {}

    private final FileTable table;
    private volatile Mapped[] byAddress = new Mapped[0];
    private long lastNumber;
    private boolean refused;
    private boolean closed;

    OwnFiles(FileTable table) {
        this.table = table;
    }

    /// Allocates memory in a separate memory file. Falls back to ordinary memory, whose payload is staged.
    MemorySegment allocate(Arena arena, long bytes, long alignment) {
        if (alignment <= PAGE_BYTES) {
            try {
                long[] start = new long[1];
                MemoryFile file = MemoryFile.create("tensorferry-slab", bytes, false, arena, () -> remove(start[0]));
                start[0] = file.memory().address();
                add(file);
                return file.memory();
            } catch (IOException failure) {
                report(failure);
            }
        }
        return arena.allocate(bytes, alignment);
    }

    private synchronized void report(IOException failure) {
        if (!refused) {
            refused = true;
            LOG.warn("a slab cannot be a memory file: contents sent from it are copied once more", failure);
        }
    }

    private synchronized void add(MemoryFile file) throws IOException {
        int place = closed ? -1 : freePlace();
        if (place < 0) {
            return;
        }
        long start = file.memory().address();
        var mapped = new Mapped(start, start + file.memory().byteSize(), place, ++lastNumber);
        table.put(place, mapped.number, file);
        List<Mapped> all = new ArrayList<>(List.of(byAddress));
        all.add(mapped);
        all.sort(Comparator.comparingLong(Mapped::start));
        byAddress = all.toArray(Mapped[]::new);
    }

    private int freePlace() {
        for (int place = 0; place < FileTable.PLACES; place++) {
            if (table.number(place) == 0) {
                return place;
            }
        }
        return -1;
    }

    private synchronized void remove(long start) {
        List<Mapped> left = new ArrayList<>();
        for (Mapped mapped : byAddress) {
            if (mapped.start == start) {
                if (!closed) {
                    table.remove(mapped.place);
                }
            } else {
                left.add(mapped);
            }
        }
        byAddress = left.toArray(Mapped[]::new);
    }

    /// Closes the table. Memory still in use ends later.
    synchronized void close() {
        closed = true;
    }

    /// The file that contains all of these bytes; null if none does.
    @Nullable
    Mapped find(long address, long length) {
        Mapped[] all = byAddress;
        int low = 0;
        int high = all.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Mapped mapped = all[middle];
            if (address < mapped.start) {
                high = middle - 1;
            } else if (address >= mapped.end) {
                low = middle + 1;
            } else {
                return length <= mapped.end - address ? mapped : null;
            }
        }
        return null;
    }
}
