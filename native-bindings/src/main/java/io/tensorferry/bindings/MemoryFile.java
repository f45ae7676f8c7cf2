package io.tensorferry.bindings;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Memory behind a file descriptor that another process of the same user can map by opening `/proc/PID/fd/N`. The file
/// has no name in any directory, so it disappears with its processes, even after a crash.
///
/// A memory file can never shrink, and a process checks this seal before it maps another process's file. Otherwise the
/// owner could truncate the file and make the other process fault.
///
/// Threading: any thread; immutable. The descriptor and the mapping end with the arena.
///
/// @param descriptor the descriptor that other processes open
/// @param memory zeroed memory of the requested size; it begins at a page boundary
public record MemoryFile(int descriptor, MemorySegment memory) {
    /// Accepts any inode; no file has this inode.
    private static final long ANY = 0;

    private static final int MFD_CLOEXEC_ALLOW_SEALING = 0x1 | 0x2;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_GET_SEALS = 1034;
    private static final int F_SEAL_SEAL = 0x1;
    private static final int F_SEAL_SHRINK = 0x2;
    private static final int F_SEAL_GROW = 0x4;
    /// New mappings cannot write; existing mappings still can. Since Linux 5.1.
    private static final int F_SEAL_FUTURE_WRITE = 0x10;
    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int O_NOCTTY_NONBLOCK_CLOEXEC = 0x100 | 0x800 | 0x80000;
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int MAP_SHARED = 1;
    private static final int SEEK_END = 2;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_INO = 0x100;
    private static final long STATX_BYTES = 256;
    private static final long AT_INODE = 32;

    /// Returns the reason that this process cannot have memory files, or null if it can.
    public static @Nullable String obstacle() {
        return obstacle(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    /// @param system the system property `os.name`
    /// @param architecture the system property `os.arch`
    static @Nullable String obstacle(String system, String architecture) {
        boolean known = architecture.equals("amd64") || architecture.equals("x86_64") || architecture.equals("aarch64");
        if (!system.equals("Linux") || !known || ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            return "memory files need Linux on x86-64 or aarch64, and this is " + system + " on " + architecture;
        }
        try {
            Linker linker = Linker.nativeLinker();
            Optional<MemorySegment> function = linker.defaultLookup().find("memfd_create");
            if (function.isEmpty()) {
                return "the C library has no memfd_create";
            }
            linker.downcallHandle(function.get(), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
            return null;
        } catch (IllegalCallerException denied) {
            return NativeAccess.denied();
        }
    }

    /// Creates a memory file. The kernel allocates its pages when they are first touched.
    ///
    /// @param name shown in `/proc/PID/maps`; need not be unique
    /// @param bytes 1 or more
    /// @param writable whether other processes may map it for writing
    /// @param arena its close ends the mapping and closes the descriptor; not the global arena
    /// @throws IOException with the failed call and its `errno`
    public static MemoryFile create(String name, long bytes, boolean writable, Arena arena) throws IOException {
        return create(name, bytes, writable, arena, () -> {});
    }

    /// As [#create(String, long, boolean, Arena)].
    ///
    /// @param ending runs when the arena ends, before the memory does
    public static MemoryFile create(String name, long bytes, boolean writable, Arena arena, Runnable ending)
            throws IOException {
        try (var call = new NativeCall()) {
            int descriptor =
                    checked(call, "memfd_create", memfd(call, call.allocateFrom(name), MFD_CLOEXEC_ALLOW_SEALING));
            try {
                checked(call, "ftruncate", truncate(call, descriptor, bytes));
                MemorySegment start = map(call, descriptor, bytes, true);
                try {
                    seal(call, descriptor, writable);
                } catch (IOException failure) {
                    LinuxCalls.unmap(start, bytes);
                    throw failure;
                }
                MemorySegment memory = start.reinterpret(bytes, arena, ended -> {
                    ending.run();
                    LinuxCalls.unmap(ended, bytes);
                    close(descriptor);
                });
                return new MemoryFile(descriptor, memory);
            } catch (IOException | RuntimeException failure) {
                close(descriptor);
                throw failure;
            }
        }
    }

    private static void seal(NativeCall call, int descriptor, boolean writable) throws IOException {
        int size = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;
        if (!writable) {
            int sealed = control(call, descriptor, F_ADD_SEALS, size | F_SEAL_FUTURE_WRITE);
            if (sealed == 0) {
                return;
            }
            if (call.errno() != LinuxCalls.EINVAL) {
                throw failed(call, "fcntl(F_ADD_SEALS)");
            }
        }
        checked(call, "fcntl(F_ADD_SEALS)", control(call, descriptor, F_ADD_SEALS, size));
    }

    /// Maps a file of another process, or of this process.
    ///
    /// @param process the process id, as this process sees it
    /// @param descriptor the descriptor in that process
    /// @param writable whether this process is going to write
    /// @param arena its close ends the mapping; not the global arena
    /// @return the whole file
    /// @throws IOException if the process or file does not exist, belongs to another user, or is not sealed against
    ///     shrinking
    public static MemorySegment open(int process, int descriptor, boolean writable, Arena arena) throws IOException {
        return open(process, descriptor, ANY, writable, arena);
    }

    /// As [#open(int, int, boolean, Arena)], but only if the file has the expected inode. Its owner may have closed the
    /// descriptor, and the kernel reuses the number for the next file opened there. After the owner's end, the kernel
    /// reuses the process id too.
    ///
    /// @param inode the file's inode, as [#inode()] returns it
    /// @throws IOException also if the descriptor belongs to another file
    public static MemorySegment open(int process, int descriptor, long inode, boolean writable, Arena arena)
            throws IOException {
        try (var call = new NativeCall()) {
            MemorySegment path = call.allocateFrom("/proc/" + process + "/fd/" + descriptor);
            // Non-blocking, because the descriptor may be a pipe.
            int flags = (writable ? O_RDWR : O_RDONLY) | O_NOCTTY_NONBLOCK_CLOEXEC;
            int own = checked(call, "open of " + path.getString(0), openPath(call, path, flags));
            try {
                if (inode != ANY && inode(call, own) != inode) {
                    throw new IOException(path.getString(0) + " is not the file with inode " + inode
                            + ": its owner has closed that file");
                }
                int seals = control(call, own, F_GET_SEALS, 0);
                if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
                    throw new IOException(path.getString(0) + " is not a memory file that is sealed against shrinking");
                }
                long bytes = seekEnd(call, own);
                if (bytes <= 0) {
                    throw new IOException(path.getString(0) + " is empty");
                }
                return map(call, own, bytes, writable)
                        .reinterpret(bytes, arena, ended -> LinuxCalls.unmap(ended, bytes));
            } finally {
                close(own);
            }
        }
    }

    /// Returns the file's inode number, which no other memory file of this machine has while this file exists.
    ///
    /// @throws IOException if `statx` fails
    public long inode() throws IOException {
        try (var call = new NativeCall()) {
            return inode(call, descriptor);
        }
    }

    private static long inode(NativeCall call, int descriptor) throws IOException {
        MemorySegment empty = call.allocateFrom("");
        MemorySegment status = call.allocate(STATX_BYTES, Long.BYTES);
        int result = intResult(LinuxCalls.STATX, handle ->
                (int) handle.invokeExact(call.state(), descriptor, empty, AT_EMPTY_PATH, STATX_INO, status));
        checked(call, "statx", result);
        return status.get(ValueLayout.JAVA_LONG, AT_INODE);
    }

    /// Returns another descriptor of the same file, which the caller closes.
    ///
    /// @throws IOException if this process has too many open files
    public OwnedDescriptor duplicate() throws IOException {
        try (var call = new NativeCall()) {
            int copy = checked(call, "fcntl(F_DUPFD_CLOEXEC)", control(call, descriptor, F_DUPFD_CLOEXEC, 0));
            return new OwnedDescriptor(copy);
        }
    }

    private static MemorySegment map(NativeCall call, int descriptor, long bytes, boolean writable) throws IOException {
        int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
        MemorySegment start = LinuxCalls.map(call, bytes, protection, MAP_SHARED, descriptor);
        if (start.address() == 0) {
            throw failed(call, "mmap of " + bytes + " bytes");
        }
        return start;
    }

    private static void close(int descriptor) {
        try (var call = new NativeCall()) {
            int _ = (int) LinuxCalls.CLOSE.invokeExact(call.state(), descriptor);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    private static int memfd(NativeCall call, MemorySegment name, int flags) {
        return intResult(LinuxCalls.MEMFD_CREATE, handle -> (int) handle.invokeExact(call.state(), name, flags));
    }

    private static int truncate(NativeCall call, int descriptor, long bytes) {
        return intResult(LinuxCalls.FTRUNCATE, handle -> (int) handle.invokeExact(call.state(), descriptor, bytes));
    }

    private static int control(NativeCall call, int descriptor, int command, int argument) {
        return intResult(
                LinuxCalls.FCNTL, handle -> (int) handle.invokeExact(call.state(), descriptor, command, argument));
    }

    private static int openPath(NativeCall call, MemorySegment path, int flags) {
        return intResult(LinuxCalls.OPEN, handle -> (int) handle.invokeExact(call.state(), path, flags));
    }

    private static long seekEnd(NativeCall call, int descriptor) {
        try {
            return (long) LinuxCalls.LSEEK.invokeExact(call.state(), descriptor, 0L, SEEK_END);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    private interface Call {
        @SuppressWarnings("IllegalThrows")
        int on(MethodHandle handle) throws Throwable;
    }

    private static int intResult(MethodHandle handle, Call call) {
        try {
            return call.on(handle);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    private static int checked(NativeCall call, String what, int result) throws IOException {
        if (result < 0) {
            throw failed(call, what);
        }
        return result;
    }

    private static IOException failed(NativeCall call, String what) {
        return new IOException(what + " failed with errno " + call.errno());
    }
}
