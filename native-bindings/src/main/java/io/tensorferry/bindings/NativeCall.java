package io.tensorferry.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/// The memory of one native call: its arguments, and its captured `errno`.
///
/// Not for the data path: it creates an arena. Owner: the thread that created it, until [#close()].
public final class NativeCall implements AutoCloseable, SegmentAllocator {
    static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment state = arena.allocate(STATE);

    public NativeCall() {}

    /// Returns a handle of a C library function, called with [#state()] as its first argument.
    ///
    /// @param options linker options in addition to the capture of `errno`
    static MethodHandle function(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = CAPTURE;
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, all);
    }

    /// Returns a handle of the function at `address`, called with [#state()] as its first argument.
    static MethodHandle function(MemorySegment address, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(address, descriptor, CAPTURE);
    }

    /// Converts a throwable of a method handle into an unchecked exception. Native functions throw no exceptions, so
    /// this indicates wrong arguments in this module.
    ///
    /// @throws Error if `e` is an error
    static RuntimeException impossible(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException runtime ? runtime : new IllegalStateException("a native call threw", e);
    }

    /// Returns zeroed memory that lives until [#close()].
    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        return arena.allocate(byteSize, byteAlignment);
    }

    /// The segment that receives `errno`.
    MemorySegment state() {
        return state;
    }

    /// The `errno` of the last call with this object; meaningful only if that call failed.
    public int errno() {
        return (int) ERRNO.get(state, 0L);
    }

    @Override
    public void close() {
        arena.close();
    }
}
