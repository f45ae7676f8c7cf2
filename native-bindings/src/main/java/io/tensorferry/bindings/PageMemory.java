package io.tensorferry.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Memory straight from the kernel, page by page, and what the kernel can be told of such memory (Linux).
///
/// A call that fails leaves its reason in the `errno` of its [NativeCall].
///
/// Threading: any thread, each with a [NativeCall] of its own.
public final class PageMemory {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final int PROT_READ_WRITE = 1 | 2;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x02 | 0x20;
    private static final int MAP_HUGETLB = 0x40000;
    private static final int MADV_HUGEPAGE = 14;
    private static final int MADV_POPULATE_WRITE = 23;
    private static final int MPOL_PREFERRED = 1;

    private PageMemory() {}

    /// Maps zeroed memory that nothing has touched yet.
    ///
    /// @param arena gives the memory back when it is closed
    /// @param bytes at least 1; a multiple of the size of a huge page where those are wanted
    /// @param reserved whether it lies in huge pages that were set aside for that
    /// @return `MemorySegment.NULL`'s equal if there is none
    public static MemorySegment map(NativeCall call, Arena arena, long bytes, boolean reserved) {
        int flags = MAP_PRIVATE_ANONYMOUS | (reserved ? MAP_HUGETLB : 0);
        MemorySegment mapped = LinuxCalls.map(call, bytes, PROT_READ_WRITE, flags, -1);
        return mapped.address() == 0
                ? mapped
                : mapped.reinterpret(bytes, arena, ended -> LinuxCalls.unmap(ended, bytes));
    }

    /// Has the kernel join the pages of this memory to huge ones when they are touched, as far as it can.
    ///
    /// @param memory begins and ends at a page
    /// @return 0 or -1
    public static int adviseHugePages(NativeCall call, MemorySegment memory) {
        try {
            return (int) LinuxCalls.MADVISE.invokeExact(call.state(), memory, memory.byteSize(), MADV_HUGEPAGE);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// Has all pages of this memory there now, as if each had been written to; what it holds stays. Takes as long as
    /// the
    /// kernel needs to zero them.
    ///
    /// @param memory begins at a page; mapped and writable
    /// @return 0 or -1; with `EINVAL` on kernels before 5.14
    public static int populate(NativeCall call, MemorySegment memory) {
        try {
            return (int) LinuxCalls.MADVISE.invokeExact(call.state(), memory, memory.byteSize(), MADV_POPULATE_WRITE);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// Has pages of this memory that are touched from now on lie on one NUMA node, while that has some left.
    ///
    /// @param memory begins and ends at a page
    /// @param node 0 to 1023
    /// @return 0 or -1
    public static long preferNode(NativeCall call, MemorySegment memory, int node) {
        MemorySegment mask = call.allocate(LONG, node / Long.SIZE + 1L);
        mask.setAtIndex(LONG, node / Long.SIZE, 1L << node);
        // The kernel takes one bit less than it is told.
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
