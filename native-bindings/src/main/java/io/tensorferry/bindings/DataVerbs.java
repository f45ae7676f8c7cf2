package io.tensorferry.bindings;

import io.tensorferry.bindings.ibverbs.ibv_context_ops;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// The verbs of the data path. The library does not export them: each device implements them, and the first argument of
/// each method is the function pointer from the device's `ibv_context.ops`. They return error numbers, `poll_cq` a
/// count or a negative number; `errno` is not used.
///
/// One handle serves all devices, and as a class constant it lets the JIT compiler inline the call. Arguments should be
/// segments of the global arena, whose liveness check costs nothing.
public final class DataVerbs {
    /// The system property that makes these calls critical, without a thread state transition, which saves about 1 ns
    /// each. Off by default: a driver that holds a spin lock between calls, or blocks in a call, can then stop the
    /// whole JVM at the next safepoint.
    public static final String CRITICAL_PROPERTY = "io.tensorferry.criticalVerbs";

    private static final boolean CRITICAL = Boolean.getBoolean(CRITICAL_PROPERTY);
    private static final MethodHandle POLL_CQ = handle(ibv_context_ops.poll_cq.descriptor());
    private static final MethodHandle REQ_NOTIFY_CQ = handle(ibv_context_ops.req_notify_cq.descriptor());
    private static final MethodHandle POST_SEND = handle(ibv_context_ops.post_send.descriptor());
    private static final MethodHandle POST_RECV = handle(ibv_context_ops.post_recv.descriptor());

    private DataVerbs() {}

    private static MethodHandle handle(FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return CRITICAL
                ? linker.downcallHandle(descriptor, Linker.Option.critical(false))
                : linker.downcallHandle(descriptor);
    }

    /// @param completions room for `maximum` times `ibv_wc`
    /// @return the number of completions taken, or a negative number
    public static int pollCq(MemorySegment function, MemorySegment queue, int maximum, MemorySegment completions) {
        try {
            return (int) POLL_CQ.invokeExact(function, queue, maximum, completions);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// @param solicitedOnly 0 for every completion
    public static int reqNotifyCq(MemorySegment function, MemorySegment queue, int solicitedOnly) {
        try {
            return (int) REQ_NOTIFY_CQ.invokeExact(function, queue, solicitedOnly);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// @param requests an `ibv_send_wr`
    /// @param refused receives the pointer of the request that was not accepted
    public static int postSend(
            MemorySegment function, MemorySegment queuePair, MemorySegment requests, MemorySegment refused) {
        try {
            return (int) POST_SEND.invokeExact(function, queuePair, requests, refused);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// @param requests an `ibv_recv_wr`
    /// @param refused receives the pointer of the request that was not accepted
    public static int postRecv(
            MemorySegment function, MemorySegment queuePair, MemorySegment requests, MemorySegment refused) {
        try {
            return (int) POST_RECV.invokeExact(function, queuePair, requests, refused);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }
}
