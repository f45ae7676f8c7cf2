package io.tensorferry.verbs.device.software.shared;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A peer's device as this one sees it: where it is rung, and the memory files out of which it sends, each mapped when
/// the first payload comes out of it.
///
/// Threading: on the loop, but for [#file()].
final class PeerDevice {
    private static final Logger LOG = LoggerFactory.getLogger(PeerDevice.class);

    private record Mapping(long number, Arena arena, MemorySegment memory) {}

    private final int process;
    private final long number;
    private final Arena arena = Arena.ofShared();
    private final DeviceFile file;
    /// Null where this device sends and nothing comes.
    private @Nullable FileTable table;

    private final @Nullable Mapping[] mappings = new Mapping[FileTable.PLACES];
    private long seenGone;
    private int uses;

    /// @throws IOException if its memory cannot be mapped
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

    /// Reads its table of files from now on.
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

    /// @return whether nobody uses it any more; then it is closed
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

    /// The file in a place of the peer's table, if it has this number and these bytes; null if not, or if it cannot be
    /// mapped. What the peer's table says is read once, and then belongs to this side.
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

    /// Gives back the memory of files that the peer has freed. Nobody copies meanwhile.
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
