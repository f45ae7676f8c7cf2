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

/// The memory of one native call: its arguments, and the `errno` that it left.
///
/// Not for the data path: it makes an arena. Owner: the thread that made it, until [#close()].
public final class NativeCall implements AutoCloseable, SegmentAllocator {
    static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment state = arena.allocate(STATE);

    public NativeCall() {}

    /// A function of the C library, called with [#state()] as its first argument.
    ///
    /// @param options besides that `errno` is kept
    static MethodHandle function(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = CAPTURE;
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, all);
    }

    /// The same of a function that was found already.
    static MethodHandle function(MemorySegment address, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(address, descriptor, CAPTURE);
    }

    /// Turns what a method handle threw into an unchecked exception. A native call throws nothing of its own, so this
    /// is a mistake in its arguments here.
    ///
    /// @throws Error if `e` is one
    static RuntimeException impossible(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException runtime ? runtime : new IllegalStateException("a native call threw", e);
    }

    /// Zeroed memory that lives as long as this.
    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        return arena.allocate(byteSize, byteAlignment);
    }

    /// Where the call leaves its `errno`.
    MemorySegment state() {
        return state;
    }

    /// The `errno` of the last call that was given this; meaningful only where that call failed.
    public int errno() {
        return (int) ERRNO.get(state, 0L);
    }

    @Override
    public void close() {
        arena.close();
    }
}
