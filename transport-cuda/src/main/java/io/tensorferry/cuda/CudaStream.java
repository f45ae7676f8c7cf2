package io.tensorferry.cuda;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// A `CUstream`, created by [CudaAccelerator#openStream()], or owned by the application and wrapped by
/// [CudaAccelerator#stream(long)].
///
/// A stream created here does not synchronise with the default stream (`CU_STREAM_NON_BLOCKING`): use an event to order
/// it after work in the default stream.
///
/// The caller keeps the host memory of a copy alive until the copy is done.
///
/// Threading: any thread; calls on one stream must not overlap.
public final class CudaStream implements DeviceStream {
    private final CudaAccelerator device;
    private final CudaContext context;
    private final MemorySegment handle;
    private final boolean ours;
    // Writes guarded by this.
    private volatile boolean closed;

    /// @param ours whether [#close()] destroys the stream
    CudaStream(CudaAccelerator device, CudaContext context, MemorySegment handle, boolean ours) {
        this.device = device;
        this.context = context;
        this.handle = handle;
        this.ours = ours;
    }

    static CudaStream open(CudaAccelerator device, CudaContext context) {
        context.addChild();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stream = arena.allocate(Cuda.C_POINTER);
            int code;
            try (var _ = context.enter()) {
                code = Cuda.cuStreamCreate(stream, Cuda.CU_STREAM_NON_BLOCKING());
            }
            CudaCheck.ok("cuStreamCreate", code);
            return new CudaStream(device, context, stream.get(Cuda.C_POINTER, 0), true);
        } catch (RuntimeException e) {
            context.removeChild();
            throw e;
        }
    }

    @Override
    public Accelerator device() {
        return device;
    }

    @Override
    public void copyToHost(long source, MemorySegment target) {
        MemorySegment stream = handle();
        requireHostMemory(target);
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("the memory is read-only");
        }
        if (target.byteSize() > 0) {
            int code;
            try (var _ = context.enter()) {
                code = Cuda.cuMemcpyDtoHAsync_v2(target, source, target.byteSize(), stream);
            }
            CudaCheck.ok("cuMemcpyDtoHAsync", code);
        }
    }

    @Override
    public void copyFromHost(MemorySegment source, long target) {
        MemorySegment stream = handle();
        requireHostMemory(source);
        if (source.byteSize() > 0) {
            int code;
            try (var _ = context.enter()) {
                code = Cuda.cuMemcpyHtoDAsync_v2(target, source, source.byteSize(), stream);
            }
            CudaCheck.ok("cuMemcpyHtoDAsync", code);
        }
    }

    @Override
    public void copy(long source, long target, long bytes) {
        MemorySegment stream = handle();
        if (bytes < 0) {
            throw new IllegalArgumentException("cannot copy " + bytes + " bytes");
        }
        if (bytes > 0) {
            int code;
            try (var _ = context.enter()) {
                code = Cuda.cuMemcpyDtoDAsync_v2(target, source, bytes, stream);
            }
            CudaCheck.ok("cuMemcpyDtoDAsync", code);
        }
    }

    @Override
    public void await(DeviceEvent event) {
        MemorySegment stream = handle();
        if (!(event instanceof CudaEvent known)) {
            throw new IllegalArgumentException("a stream of " + device + " cannot wait for " + event);
        }
        MemorySegment awaited = known.handle();
        int code;
        try (var _ = context.enter()) {
            code = Cuda.cuStreamWaitEvent(stream, awaited, Cuda.CU_EVENT_WAIT_DEFAULT());
        }
        CudaCheck.ok("cuStreamWaitEvent", code);
    }

    @Override
    public CudaEvent record() {
        MemorySegment stream = handle();
        MemorySegment event = context.takeEvent();
        try {
            int code;
            try (var _ = context.enter()) {
                code = Cuda.cuEventRecord(event, stream);
            }
            CudaCheck.ok("cuEventRecord", code);
            return new CudaEvent(context, event, true);
        } catch (RuntimeException e) {
            context.giveBackEvent(event);
            throw e;
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        if (ours) {
            // Returns at once; the driver destroys the stream when its work is done.
            context.end(
                    "cuStreamDestroy", () -> Cuda.cuStreamDestroy_v2(handle), "a stream of " + device + " is leaked");
            context.removeChild();
        }
    }

    private MemorySegment handle() {
        if (closed) {
            throw new IllegalStateException("this stream of " + device + " is closed");
        }
        return handle;
    }

    private static void requireHostMemory(MemorySegment memory) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("only off-heap memory can be copied from and to a GPU");
        }
    }
}
