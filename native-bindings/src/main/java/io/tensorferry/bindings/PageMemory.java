package io.tensorferry.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Maps page-aligned memory from the kernel and sets its paging policy (Linux).
///
/// A failed call leaves its error in the `errno` of its [NativeCall].
///
/// Threading: any thread, each with a separate [NativeCall].
public final class PageMemory {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final int PROT_READ_WRITE = 1 | 2;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x02 | 0x20;
    private static final int MAP_HUGETLB = 0x40000;
    private static final int MADV_HUGEPAGE = 14;
    private static final int MADV_POPULATE_WRITE = 23;
    private static final int MPOL_PREFERRED = 1;

    private PageMemory() {}

    /// Maps zeroed memory whose pages are not allocated yet.
    ///
    /// @param arena its close unmaps the memory
    /// @param bytes at least 1; a multiple of the huge page size if `reserved`
    /// @param reserved whether to use reserved huge pages (`MAP_HUGETLB`)
    /// @return equals `MemorySegment.NULL` if there is no memory
    public static MemorySegment map(NativeCall call, Arena arena, long bytes, boolean reserved) {
        int flags = MAP_PRIVATE_ANONYMOUS | (reserved ? MAP_HUGETLB : 0);
        MemorySegment mapped = LinuxCalls.map(call, bytes, PROT_READ_WRITE, flags, -1);
        return mapped.address() == 0
                ? mapped
                : mapped.reinterpret(bytes, arena, ended -> LinuxCalls.unmap(ended, bytes));
    }

    /// Advises the kernel to back this memory with transparent huge pages.
    ///
    /// @param memory begins and ends at a page boundary
    /// @return 0 or -1
    public static int adviseHugePages(NativeCall call, MemorySegment memory) {
        try {
            return (int) LinuxCalls.MADVISE.invokeExact(call.state(), memory, memory.byteSize(), MADV_HUGEPAGE);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// Allocates all pages of this memory now, as if each had been written to; the content stays. Takes as long as the
    /// kernel needs to zero the pages.
    ///
    /// @param memory begins at a page boundary; mapped and writable
    /// @return 0 or -1; with `EINVAL` on kernels before 5.14
    public static int populate(NativeCall call, MemorySegment memory) {
        try {
            return (int) LinuxCalls.MADVISE.invokeExact(call.state(), memory, memory.byteSize(), MADV_POPULATE_WRITE);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// Prefers one NUMA node for the pages of this memory that are touched from now on, as long as the node has free
    /// memory.
    ///
    /// @param memory begins and ends at a page boundary
    /// @param node 0 to 1023
    /// @return 0 or -1
    public static long preferNode(NativeCall call, MemorySegment memory, int node) {
        MemorySegment mask = call.allocate(LONG, node / Long.SIZE + 1L);
        mask.setAtIndex(LONG, node / Long.SIZE, 1L << node);
        // The kernel uses one bit less than this argument.
        long bits = (long) Long.SIZE * (node / Long.SIZE + 1) + 1;
        try {
            return (long) LinuxCalls.MBIND.invokeExact(
                    call.state(),
                    LinuxCalls.MBIND_NUMBER,
                    memory,
                    memory.byteSize(),
                    (long) MPOL_PREFERRED,
                    mask,
                    bits,
                    0L);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }
}
