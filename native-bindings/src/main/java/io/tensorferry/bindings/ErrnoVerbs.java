package io.tensorferry.bindings;

import io.tensorferry.bindings.ibverbs.Ibverbs;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// The verbs that return a pointer or -1 and report the error in `errno`, which generated code does not capture.
///
/// A returned pointer equals `MemorySegment.NULL` if the call failed; otherwise it can be read as the structure that it
/// points to. All other verbs return their error number, or have none, and are called through [Ibverbs].
///
/// Threading: any thread, each with a separate [NativeCall]. Use only if [IbverbsLibrary] is present.
public final class ErrnoVerbs {
    private static final MethodHandle GET_DEVICE_LIST =
            NativeCall.function(Ibverbs.ibv_get_device_list$address(), Ibverbs.ibv_get_device_list$descriptor());
    private static final MethodHandle OPEN_DEVICE =
            NativeCall.function(Ibverbs.ibv_open_device$address(), Ibverbs.ibv_open_device$descriptor());
    private static final MethodHandle GET_ASYNC_EVENT =
            NativeCall.function(Ibverbs.ibv_get_async_event$address(), Ibverbs.ibv_get_async_event$descriptor());
    private static final MethodHandle ALLOC_PD =
            NativeCall.function(Ibverbs.ibv_alloc_pd$address(), Ibverbs.ibv_alloc_pd$descriptor());
    private static final MethodHandle REG_MR =
            NativeCall.function(Ibverbs.ibv_reg_mr_iova2$address(), Ibverbs.ibv_reg_mr_iova2$descriptor());
    private static final MethodHandle CREATE_COMP_CHANNEL = NativeCall.function(
            Ibverbs.ibv_create_comp_channel$address(), Ibverbs.ibv_create_comp_channel$descriptor());
    private static final MethodHandle GET_CQ_EVENT =
            NativeCall.function(Ibverbs.ibv_get_cq_event$address(), Ibverbs.ibv_get_cq_event$descriptor());
    private static final MethodHandle CREATE_CQ =
            NativeCall.function(Ibverbs.ibv_create_cq$address(), Ibverbs.ibv_create_cq$descriptor());
    private static final MethodHandle CREATE_QP =
            NativeCall.function(Ibverbs.ibv_create_qp$address(), Ibverbs.ibv_create_qp$descriptor());

    /// In a separate class, because older libraries lack the function.
    private static final class RegDmabuf {
        static final MethodHandle HANDLE =
                NativeCall.function(Ibverbs.ibv_reg_dmabuf_mr$address(), Ibverbs.ibv_reg_dmabuf_mr$descriptor());
    }

    private ErrnoVerbs() {}

    /// @param count receives an `int`, the number of devices
    /// @return an array of pointers to devices, for `ibv_free_device_list`
    public static MemorySegment getDeviceList(NativeCall call, MemorySegment count) {
        try {
            return (MemorySegment) GET_DEVICE_LIST.invokeExact(call.state(), count);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    public static MemorySegment openDevice(NativeCall call, MemorySegment device) {
        try {
            return (MemorySegment) OPEN_DEVICE.invokeExact(call.state(), device);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// @param event receives an `ibv_async_event`
    /// @return 0 or -1
    public static int getAsyncEvent(NativeCall call, MemorySegment context, MemorySegment event) {
        try {
            return (int) GET_ASYNC_EVENT.invokeExact(call.state(), context, event);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    public static MemorySegment allocPd(NativeCall call, MemorySegment context) {
        try {
            return (MemorySegment) ALLOC_PD.invokeExact(call.state(), context);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// `ibv_reg_mr`, through the function that also accepts the optional access flags.
    public static MemorySegment regMr(NativeCall call, MemorySegment domain, MemorySegment memory, int access) {
        return regMr(call, domain, memory, memory.byteSize(), access);
    }

    /// `ibv_reg_mr` for memory of which this process only knows the address.
    public static MemorySegment regMr(NativeCall call, MemorySegment domain, long address, long bytes, int access) {
        return regMr(call, domain, MemorySegment.ofAddress(address), bytes, access);
    }

    private static MemorySegment regMr(
            NativeCall call, MemorySegment domain, MemorySegment memory, long bytes, int access) {
        try {
            return (MemorySegment) REG_MR.invokeExact(call.state(), domain, memory, bytes, memory.address(), access);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// Requires that [IbverbsLibrary.Present#has] returns true for `ibv_reg_dmabuf_mr`.
    public static MemorySegment regDmabufMr(
            NativeCall call, MemorySegment domain, long offset, long length, long address, int descriptor, int access) {
        try {
            return (MemorySegment)
                    RegDmabuf.HANDLE.invokeExact(call.state(), domain, offset, length, address, descriptor, access);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    public static MemorySegment createCompChannel(NativeCall call, MemorySegment context) {
        try {
            return (MemorySegment) CREATE_COMP_CHANNEL.invokeExact(call.state(), context);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// @param queue receives the pointer of the completion queue
    /// @param queueContext receives a pointer that is not used
    /// @return 0 or -1
    public static int getCqEvent(
            NativeCall call, MemorySegment channel, MemorySegment queue, MemorySegment queueContext) {
        try {
            return (int) GET_CQ_EVENT.invokeExact(call.state(), channel, queue, queueContext);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// @param channel a completion channel or `MemorySegment.NULL`
    public static MemorySegment createCq(
            NativeCall call, MemorySegment context, int entries, MemorySegment channel, int vector) {
        try {
            return (MemorySegment)
                    CREATE_CQ.invokeExact(call.state(), context, entries, MemorySegment.NULL, channel, vector);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }

    /// @param options an `ibv_qp_init_attr`, which receives the limits that were granted
    public static MemorySegment createQp(NativeCall call, MemorySegment domain, MemorySegment options) {
        try {
            return (MemorySegment) CREATE_QP.invokeExact(call.state(), domain, options);
        } catch (Throwable e) {
            throw NativeCall.impossible(e);
        }
    }
}
