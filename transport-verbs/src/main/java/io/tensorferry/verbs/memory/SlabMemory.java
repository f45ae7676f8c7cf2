package io.tensorferry.verbs.memory;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.HugePages;
import io.tensorferry.verbs.device.NumaPlacement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Where the memory of slabs comes from.
///
/// Threading: any thread.
@FunctionalInterface
interface SlabMemory {
    /// Bytes of a page: slabs begin at one.
    long PAGE_BYTES = 4096;

    /// As Java gives it.
    SlabMemory USUAL = SlabMemory::usual;

    /// Zeroed memory that begins at a page.
    ///
    /// @param arena gives it back when it is closed
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is none
    MemorySegment allocate(Arena arena, long bytes);

    /// As the settings want it.
    ///
    /// @param deviceNode the NUMA node of the device, -1 where it is not known
    static SlabMemory of(HugePages hugePages, NumaPlacement placement, int deviceNode) {
        int node = switch (placement) {
            case NumaPlacement.Anywhere _ -> -1;
            case NumaPlacement.OfDevice _ -> deviceNode;
            case NumaPlacement.Node(var number) -> number;
        };
        return hugePages == HugePages.NONE && node < 0 ? USUAL : new PlacedMemory(hugePages, node);
    }

    private static MemorySegment usual(Arena arena, long bytes) {
        try {
            return arena.allocate(bytes, PAGE_BYTES);
        } catch (OutOfMemoryError e) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "no " + bytes
                            + " bytes of off-heap memory; the JVM limits it with -XX:MaxDirectMemorySize, by default to the size of"
                            + " the heap (-Xmx)",
                    e);
        }
    }
}
