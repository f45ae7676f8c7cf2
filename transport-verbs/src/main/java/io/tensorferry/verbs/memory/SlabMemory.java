package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.config.HugePages;
import io.tensorferry.verbs.config.NumaPlacement;
import io.tensorferry.verbs.device.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Where the host memory of slabs comes from.
///
/// Threading: any thread.
@FunctionalInterface
interface SlabMemory {
    /// Bytes of a page: slabs begin at one.
    long PAGE_BYTES = 4096;

    /// Zeroed memory that begins at a page.
    ///
    /// @param arena gives it back when it is closed
    /// @throws io.tensorferry.api.TransportException `RESOURCE_EXHAUSTED` if there is none
    MemorySegment allocate(Arena arena, long bytes);

    /// As the settings want it; where they want nothing, as the device does.
    ///
    /// @param hugePages settled for the device; AUTO, where it is not, wants nothing
    /// @param deviceNode the NUMA node of the device, -1 where it is not known
    static SlabMemory of(ProtectionDomain domain, HugePages hugePages, NumaPlacement placement, int deviceNode) {
        int node = switch (placement) {
            case NumaPlacement.Anywhere _ -> -1;
            case NumaPlacement.OfDevice _ -> deviceNode;
            case NumaPlacement.Node(var number) -> number;
        };
        HugePages settled = hugePages == HugePages.AUTO ? HugePages.NONE : hugePages;
        return settled == HugePages.NONE && node < 0 ? new DomainMemory(domain) : new PlacedMemory(settled, node);
    }
}
