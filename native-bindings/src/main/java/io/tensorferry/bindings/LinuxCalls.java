package io.tensorferry.bindings;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// The system calls of Linux behind [MemoryFile], [PageMemory] and [Futex], which have the same meaning on x86-64 and
/// aarch64.
///
/// Threading: any thread; no state.
final class LinuxCalls {
    static final int EINVAL = 22;
    private static final long MAP_FAILED = -1;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final MemoryLayout POINTER = ValueLayout.ADDRESS;

    static final MethodHandle MEMFD_CREATE = errno("memfd_create", FunctionDescriptor.of(INT, POINTER, INT), 0);
    static final MethodHandle FTRUNCATE = errno("ftruncate", FunctionDescriptor.of(INT, INT, LONG), 0);
    static final MethodHandle FCNTL = errno("fcntl", FunctionDescriptor.of(INT, INT, INT, INT), 2);
    static final MethodHandle OPEN = errno("open", FunctionDescriptor.of(INT, POINTER, INT), 2);
    static final MethodHandle LSEEK = errno("lseek", FunctionDescriptor.of(LONG, INT, LONG, INT), 0);
    static final MethodHandle CLOSE = errno("close", FunctionDescriptor.of(INT, INT), 0);
    private static final MethodHandle MMAP =
            errno("mmap", FunctionDescriptor.of(ValueLayout.ADDRESS, POINTER, LONG, INT, INT, INT, LONG), 0);
    private static final MethodHandle MUNMAP = errno("munmap", FunctionDescriptor.of(INT, POINTER, LONG), 0);
    static final MethodHandle MADVISE = errno("madvise", FunctionDescriptor.of(INT, POINTER, LONG, INT), 0);
    /// `mbind` has a function in libnuma only: it is called by its number.
    static final MethodHandle MBIND =
            errno("syscall", FunctionDescriptor.of(LONG, LONG, POINTER, LONG, LONG, POINTER, LONG, LONG), 1);
    /// `futex` has no function of its own: it is called by its number.
    static final MethodHandle FUTEX =
            errno("syscall", FunctionDescriptor.of(LONG, LONG, POINTER, INT, INT, POINTER, POINTER, INT), 1);

    private static final long FUTEX_X86_64 = 202;
    private static final long FUTEX_AARCH64 = 98;
    static final long FUTEX_NUMBER = System.getProperty("os.arch").equals("aarch64") ? FUTEX_AARCH64 : FUTEX_X86_64;

    private static final long MBIND_X86_64 = 237;
    private static final long MBIND_AARCH64 = 235;
    static final long MBIND_NUMBER = System.getProperty("os.arch").equals("aarch64") ? MBIND_AARCH64 : MBIND_X86_64;

    private LinuxCalls() {}

    /// @param fixed how many arguments come before those that vary; 0 where none do
    private static MethodHandle errno(String name, FunctionDescriptor descriptor, int fixed) {
        Linker linker = Linker.nativeLinker();
        MemorySegment function = linker.defaultLookup().findOrThrow(name);
        return fixed == 0
                ? linker.downcallHandle(function, descriptor, NativeCall.CAPTURE)
                : linker.downcallHandle(
                        function, descriptor, NativeCall.CAPTURE, Linker.Option.firstVariadicArg(fixed));
    }

    /// Maps memory wherever there is room.
    ///
    /// @return the first byte of it; `MemorySegment.NULL`'s equal if the kernel refuses
    static MemorySegment map(NativeCall call, long bytes, int protection, int flags, int descriptor) {
        try {
            MemorySegment start = (MemorySegment)
                    MMAP.invokeExact(call.state(), MemorySegment.NULL, bytes, protection, flags, descriptor, 0L);
            return start.address() == MAP_FAILED ? MemorySegment.NULL : start;
        } catch (Throwable e) {
            throw ErrnoVerbs.impossible(e);
        }
    }

    static void unmap(MemorySegment start, long bytes) {
        try (var call = new NativeCall()) {
            int _ = (int) MUNMAP.invokeExact(call.state(), start, bytes);
        } catch (Throwable e) {
            throw ErrnoVerbs.impossible(e);
        }
    }
}
