package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.config.HugePages;
import io.tensorferry.verbs.config.NumaPlacement;
import io.tensorferry.verbs.device.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Allocates the host memory of slabs.
///
/// Threading: any thread.
@FunctionalInterface
interface SlabMemory {
    /// Page size in bytes; slabs are page-aligned.
    long PAGE_BYTES = 4096;

    /// Allocates zeroed, page-aligned memory.
    ///
    /// @param arena frees the memory when it is closed
    /// @throws io.tensorferry.api.TransportException `RESOURCE_EXHAUSTED` if there is none
    MemorySegment allocate(Arena arena, long bytes);

    /// Selects the memory for the settings; without settings, the device's preferred memory.
    ///
    /// @param hugePages the resolved page kind; AUTO, if not resolved, sets no preference
    /// @param deviceNode the NUMA node of the device, -1 if unknown
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
