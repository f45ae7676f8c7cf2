package io.tensorferry.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

/// Memory straight from the kernel, page by page, and what the kernel can be told of such memory (Linux).
///
/// A call that fails leaves its reason in the `errno` of its [NativeCall].
///
/// Threading: any thread, each with a [NativeCall] of its own.
public final class PageMemory {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final int PROT_READ_WRITE = 1 | 2;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x02 | 0x20;
    private static final int MAP_HUGETLB = 0x40000;
    private static final long MAP_FAILED = -1;
    private static final int MADV_HUGEPAGE = 14;
    private static final int MPOL_PREFERRED = 1;
    /// The C library has no function for it without libnuma.
    private static final long SYS_MBIND_X86_64 = 237;

    private static final long SYS_MBIND_AARCH64 = 235;

    private static final MethodHandle MMAP =
            errno("mmap", FunctionDescriptor.of(LONG, LONG, LONG, INT, INT, INT, LONG));
    private static final MethodHandle MUNMAP = errno("munmap", FunctionDescriptor.of(INT, LONG, LONG));
    private static final MethodHandle MADVISE = errno("madvise", FunctionDescriptor.of(INT, LONG, LONG, INT));
    private static final MethodHandle SYSCALL = errno(
            "syscall",
            FunctionDescriptor.of(LONG, LONG, LONG, LONG, LONG, ValueLayout.ADDRESS, LONG, LONG),
            Linker.Option.firstVariadicArg(1));

    private PageMemory() {}

    private static MethodHandle errno(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        var all = new Linker.Option[options.length + 1];
        all[0] = NativeCall.CAPTURE;
        System.arraycopy(options, 0, all, 1, options.length);
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, all);
    }

    /// Maps zeroed memory that nothing has touched yet.
    ///
    /// @param arena gives the memory back when it is closed
    /// @param bytes at least 1; a multiple of the size of a huge page where those are wanted
    /// @param reserved whether it lies in huge pages that were set aside for that
    /// @return `MemorySegment.NULL`'s equal if there is none
    public static MemorySegment map(NativeCall call, Arena arena, long bytes, boolean reserved) {
        try {
            long address = (long) MMAP.invokeExact(
                    call.state(),
                    0L,
                    bytes,
                    PROT_READ_WRITE,
                    MAP_PRIVATE_ANONYMOUS | (reserved ? MAP_HUGETLB : 0),
                    -1,
                    0L);
            return address == MAP_FAILED
                    ? MemorySegment.NULL
                    : MemorySegment.ofAddress(address).reinterpret(bytes, arena, PageMemory::unmap);
        } catch (Throwable e) {
            throw ErrnoVerbs.impossible(e);
        }
    }

    private static void unmap(MemorySegment memory) {
        try (var call = new NativeCall()) {
            int _ = (int) MUNMAP.invokeExact(call.state(), memory.address(), memory.byteSize());
        } catch (Throwable e) {
            throw ErrnoVerbs.impossible(e);
        }
    }

    /// Has the kernel join the pages of this memory to huge ones when they are touched, as far as it can.
    ///
    /// @param memory begins and ends at a page
    /// @return 0 or -1
    public static int adviseHugePages(NativeCall call, MemorySegment memory) {
        try {
            return (int) MADVISE.invokeExact(call.state(), memory.address(), memory.byteSize(), MADV_HUGEPAGE);
        } catch (Throwable e) {
            throw ErrnoVerbs.impossible(e);
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
            return (long) SYSCALL.invokeExact(
                    call.state(),
                    mbindNumber(System.getProperty("os.arch")),
                    memory.address(),
                    memory.byteSize(),
                    (long) MPOL_PREFERRED,
                    mask,
                    bits,
                    0L);
        } catch (Throwable e) {
            throw ErrnoVerbs.impossible(e);
        }
    }

    /// A number that no system call has, so that it fails, where that of another machine's is not known.
    private static long mbindNumber(String architecture) {
        return switch (architecture.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> SYS_MBIND_X86_64;
            case "aarch64" -> SYS_MBIND_AARCH64;
            default -> -1;
        };
    }
}
