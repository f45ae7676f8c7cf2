package io.tensorferry.verbs.memory;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.PageMemory;
import io.tensorferry.verbs.config.HugePages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Memory in huge pages, on a NUMA node, or both: mapped from the kernel, with the placement set before the pages are
/// touched.
///
/// @param hugePages the page kind
/// @param node the preferred NUMA node, or -1 for any
record PlacedMemory(HugePages hugePages, int node) implements SlabMemory {
    /// The huge page size of x86-64, and of aarch64 with 4 KiB base pages.
    static final long HUGE_PAGE_BYTES = 2L << 20;

    private static final int ENOMEM = 12;
    private static final int EINVAL = 22;

    @Override
    public MemorySegment allocate(Arena arena, long bytes) {
        // Rounded up to whole huge pages, so that the last bytes are in one too.
        long unit = hugePages == HugePages.NONE ? PAGE_BYTES : HUGE_PAGE_BYTES;
        long mapped = (bytes + unit - 1) / unit * unit;
        try (var call = new NativeCall()) {
            MemorySegment memory = PageMemory.map(call, arena, mapped, hugePages == HugePages.RESERVED);
            if (memory.address() == 0) {
                throw refused(mapped, call.errno());
            }
            if (hugePages == HugePages.TRANSPARENT && PageMemory.adviseHugePages(call, memory) != 0) {
                throw failure(
                        call.errno(),
                        call.errno() == EINVAL ? "this kernel has no transparent huge pages" : "the kernel refuses",
                        "RDMA_HUGE_PAGES=transparent");
            }
            if (node >= 0 && PageMemory.preferNode(call, memory, node) != 0) {
                throw failure(
                        call.errno(),
                        call.errno() == EINVAL
                                ? "this machine has no such node, see /sys/devices/system/node/online"
                                : "the kernel refuses it",
                        "RDMA_NUMA_NODE=" + node);
            }
            return memory.asSlice(0, bytes);
        }
    }

    private TransportException refused(long mapped, int errno) {
        boolean none = hugePages == HugePages.RESERVED && errno == ENOMEM;
        return new TransportException(
                StatusCode.RESOURCE_EXHAUSTED,
                none
                        ? "RDMA_HUGE_PAGES=reserved: fewer than " + mapped / HUGE_PAGE_BYTES
                                + " reserved huge pages are free; `sysctl vm.nr_hugepages` sets their number"
                        : "cannot map " + mapped + " bytes, errno " + errno,
                null,
                errno,
                null);
    }

    private static TransportException failure(int errno, String why, String setting) {
        return new TransportException(
                StatusCode.FAILED_PRECONDITION,
                setting + " cannot be applied: " + why + " (errno " + errno + ")",
                null,
                errno,
                null);
    }
}
