package io.tensorferry.bindings;

import io.tensorferry.bindings.ibverbs.ibv_context;
import io.tensorferry.bindings.ibverbs.ibv_context_ops;
import io.tensorferry.bindings.ibverbs.ibv_mw;
import io.tensorferry.bindings.ibverbs.ibv_pd;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// The verbs that allocate and free memory windows. The library does not export them: each device implements them,
/// behind the function pointers of its `ibv_context.ops`.
///
/// Threading: any thread.
public final class WindowVerbs {
    private static final MethodHandle ALLOC =
            Linker.nativeLinker().downcallHandle(ibv_context_ops.alloc_mw.descriptor(), NativeCall.CAPTURE);
    private static final MethodHandle DEALLOC =
            Linker.nativeLinker().downcallHandle(ibv_context_ops.dealloc_mw.descriptor());

    private WindowVerbs() {}

    /// `ibv_alloc_mw`.
    ///
    /// @param domain an `ibv_pd` of a device that supports memory windows
    /// @param type an `enum ibv_mw_type`
    /// @return an `ibv_mw`, or NULL with the error in `errno`
    public static MemorySegment alloc(NativeCall call, MemorySegment domain, int type) {
        MemorySegment function = ibv_context_ops.alloc_mw(ibv_context.ops(ibv_pd.context(domain)));
        try {
            return (MemorySegment) ALLOC.invokeExact(function, call.state(), domain, type);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// `ibv_dealloc_mw`.
    ///
    /// @param window an `ibv_mw`
    /// @return 0 or the error number
    public static int dealloc(MemorySegment window) {
        MemorySegment function = ibv_context_ops.dealloc_mw(ibv_context.ops(ibv_mw.context(window)));
        try {
            return (int) DEALLOC.invokeExact(function, window);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }
}
