package io.tensorferry.verbs.device.software.shared;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A peer's device: the file through which it is notified, and the memory files from which it sends. Each memory file
/// is mapped when its first payload is read.
///
/// Threading: on the loop, except [#file()].
final class PeerDevice {
    private static final Logger LOG = LoggerFactory.getLogger(PeerDevice.class);

    private record Mapping(long number, Arena arena, MemorySegment memory) {}

    private final int process;
    private final long number;
    private final Arena arena = Arena.ofShared();
    private final DeviceFile file;
    /// Null if this device only sends to the peer.
    private @Nullable FileTable table;

    private final @Nullable Mapping[] mappings = new Mapping[FileTable.PLACES];
    private long seenGone;
    private int uses;

    /// @throws IOException if the peer's memory cannot be mapped
    PeerDevice(Offer offer) throws IOException {
        this.process = offer.process();
        this.number = offer.device();
        try {
            this.file = DeviceFile.open(process, offer.deviceDescriptor(), number, arena);
        } catch (IOException failure) {
            arena.close();
            throw failure;
        }
    }

    /// Maps the peer's table of files.
    void readTable(Offer offer) throws IOException {
        if (table == null) {
            table = FileTable.open(offer, arena);
        }
    }

    boolean is(Offer offer) {
        return process == offer.process() && number == offer.device();
    }

    int process() {
        return process;
    }

    DeviceFile file() {
        return file;
    }

    void use() {
        uses++;
    }

    /// Releases one use and closes the peer with the last.
    ///
    /// @return whether this was the last use
    boolean release() {
        if (--uses > 0) {
            return false;
        }
        for (int place = 0; place < mappings.length; place++) {
            unmap(place);
        }
        arena.close();
        return true;
    }

    /// The file at `place` of the peer's table; null if its number or size does not match, or if it cannot be mapped.
    /// The peer's table is read once per entry; later uses rely on this side's copy.
    @Nullable
    MemorySegment memory(int place, long wanted, long offset, long length) {
        if (place < 0 || place >= FileTable.PLACES || wanted == 0) {
            return null;
        }
        Mapping mapping = mappings[place];
        if (mapping == null || mapping.number != wanted) {
            mapping = map(place, wanted);
        }
        if (mapping == null) {
            return null;
        }
        long bytes = mapping.memory.byteSize();
        return offset >= 0 && length <= bytes && offset <= bytes - length ? mapping.memory : null;
    }

    private @Nullable Mapping map(int place, long wanted) {
        unmap(place);
        FileTable files = table;
        if (files == null) {
            return null;
        }
        Arena own = Arena.ofShared();
        try {
            MemorySegment memory = files.map(place, wanted, process, own);
            if (memory == null) {
                own.close();
                return null;
            }
            var mapping = new Mapping(wanted, own, memory);
            mappings[place] = mapping;
            return mapping;
        } catch (IOException failure) {
            own.close();
            LOG.warn("memory of process {} cannot be mapped; the queue pair that sends from it ends", process, failure);
            return null;
        }
    }

    private void unmap(int place) {
        Mapping mapping = mappings[place];
        if (mapping != null) {
            mappings[place] = null;
            mapping.arena.close();
        }
    }

    /// Unmaps the files that the peer has freed. No copy may be in progress.
    void forgetGone() {
        FileTable files = table;
        if (files == null) {
            return;
        }
        long gone = files.gone();
        if (gone == seenGone) {
            return;
        }
        seenGone = gone;
        for (int place = 0; place < mappings.length; place++) {
            Mapping mapping = mappings[place];
            if (mapping != null && files.number(place) != mapping.number) {
                unmap(place);
            }
        }
    }
}
