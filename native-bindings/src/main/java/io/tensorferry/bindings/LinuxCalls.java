package io.tensorferry.bindings;

import static io.tensorferry.bindings.NativeCall.function;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// The Linux system calls behind [MemoryFile], [PageMemory] and [Futex]. Their arguments have the same meaning on
/// x86-64 and aarch64.
///
/// Threading: any thread; no state.
final class LinuxCalls {
    static final int EINVAL = 22;
    private static final long MAP_FAILED = -1;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final MemoryLayout POINTER = ValueLayout.ADDRESS;
    /// The number of fixed arguments before the variadic ones.
    private static final Linker.Option ONE_FIXED = Linker.Option.firstVariadicArg(1);

    private static final Linker.Option TWO_FIXED = Linker.Option.firstVariadicArg(2);

    static final MethodHandle MEMFD_CREATE = function("memfd_create", FunctionDescriptor.of(INT, POINTER, INT));
    static final MethodHandle FTRUNCATE = function("ftruncate", FunctionDescriptor.of(INT, INT, LONG));
    static final MethodHandle FCNTL = function("fcntl", FunctionDescriptor.of(INT, INT, INT, INT), TWO_FIXED);
    static final MethodHandle OPEN = function("open", FunctionDescriptor.of(INT, POINTER, INT), TWO_FIXED);
    static final MethodHandle LSEEK = function("lseek", FunctionDescriptor.of(LONG, INT, LONG, INT));
    /// The structure of `statx` is the same on all processors, unlike the structure of `fstat`.
    static final MethodHandle STATX = function("statx", FunctionDescriptor.of(INT, INT, POINTER, INT, INT, POINTER));
    static final MethodHandle CLOSE = function("close", FunctionDescriptor.of(INT, INT));
    private static final MethodHandle MMAP =
            function("mmap", FunctionDescriptor.of(ValueLayout.ADDRESS, POINTER, LONG, INT, INT, INT, LONG));
    private static final MethodHandle MUNMAP = function("munmap", FunctionDescriptor.of(INT, POINTER, LONG));
    static final MethodHandle MADVISE = function("madvise", FunctionDescriptor.of(INT, POINTER, LONG, INT));
    /// Only libnuma has a function for `mbind`: it is called by number.
    static final MethodHandle MBIND =
            function("syscall", FunctionDescriptor.of(LONG, LONG, POINTER, LONG, LONG, POINTER, LONG, LONG), ONE_FIXED);
    /// The C library has no function for `futex`: it is called by number.
    static final MethodHandle FUTEX =
            function("syscall", FunctionDescriptor.of(LONG, LONG, POINTER, INT, INT, POINTER, POINTER, INT), ONE_FIXED);

    private static final long FUTEX_X86_64 = 202;
    private static final long FUTEX_AARCH64 = 98;
    static final long FUTEX_NUMBER = System.getProperty("os.arch").equals("aarch64") ? FUTEX_AARCH64 : FUTEX_X86_64;

    private static final long MBIND_X86_64 = 237;
    private static final long MBIND_AARCH64 = 235;
    static final long MBIND_NUMBER = System.getProperty("os.arch").equals("aarch64") ? MBIND_AARCH64 : MBIND_X86_64;

    private LinuxCalls() {}

    /// Maps memory at an address that the kernel chooses.
    ///
    /// @return the start of the mapping; equals `MemorySegment.NULL` if the kernel refuses
    static MemorySegment map(NativeCall call, long bytes, int protection, int flags, int descriptor) {
        try {
            MemorySegment start = (MemorySegment)
                    MMAP.invokeExact(call.state(), MemorySegment.NULL, bytes, protection, flags, descriptor, 0L);
            return start.address() == MAP_FAILED ? MemorySegment.NULL : start;
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    static void unmap(MemorySegment start, long bytes) {
        try (var call = new NativeCall()) {
            int _ = (int) MUNMAP.invokeExact(call.state(), start, bytes);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }
}
