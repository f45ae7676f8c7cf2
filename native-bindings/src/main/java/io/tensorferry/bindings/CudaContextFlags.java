package io.tensorferry.bindings;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/// Gets and sets the flags of the calling thread's current CUDA context; requires the driver of CUDA 12.1 or newer.
/// Handwritten, because the generated bindings only cover functions that every supported driver has.
///
/// Threading: any thread.
public final class CudaContextFlags {
    /// `CU_CTX_SYNC_MEMOPS`, from CUDA 12.3 on: synchronous copies of all memory in the context are complete when the
    /// call returns.
    public static final int SYNC_MEMOPS = 0x80;

    private static final @Nullable MethodHandle GET = handle("cuCtxGetFlags", ValueLayout.ADDRESS);
    private static final @Nullable MethodHandle SET = handle("cuCtxSetFlags", ValueLayout.JAVA_INT);

    private CudaContextFlags() {}

    private static @Nullable MethodHandle handle(String function, ValueLayout argument) {
        MemorySegment address = CudaLoader.address(function);
        return address == null
                ? null
                : Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(ValueLayout.JAVA_INT, argument));
    }

    /// Whether this driver can change the flags.
    public static boolean canBeSet() {
        return GET != null && SET != null;
    }

    /// @param flags receives an `int`
    /// @return a `CUresult`
    public static int get(MemorySegment flags) {
        if (GET == null) {
            throw new IllegalStateException("the driver has no cuCtxGetFlags");
        }
        try {
            return (int) GET.invokeExact(flags);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// @return a `CUresult`
    public static int set(int flags) {
        if (SET == null) {
            throw new IllegalStateException("the driver has no cuCtxSetFlags");
        }
        try {
            return (int) SET.invokeExact(flags);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }
}
