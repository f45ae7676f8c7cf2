package io.tensorferry.cuda;

import io.tensorferry.api.DeviceEvent;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/// A `CUevent`, created by [CudaStream#record()], or owned by the application and wrapped by
/// [CudaAccelerator#event(long)].
///
/// Threading: any thread. Call [#close()] only when no other method runs any more.
public final class CudaEvent implements DeviceEvent {
    private static final long SPIN_NS = 50_000;
    private static final long SHORTEST_PAUSE_NS = 20_000;
    private static final long LONGEST_PAUSE_NS = 1_000_000;

    private final CudaContext context;
    private final MemorySegment handle;
    private final boolean ours;
    // Writes guarded by this.
    private volatile boolean closed;

    /// @param ours whether [#close()] returns the handle to the context
    CudaEvent(CudaContext context, MemorySegment handle, boolean ours) {
        this.context = context;
        this.handle = handle;
        this.ours = ours;
    }

    /// @throws IllegalStateException if this is closed
    MemorySegment handle() {
        if (closed) {
            throw new IllegalStateException("this event is closed");
        }
        return handle;
    }

    @Override
    public boolean isReached() {
        MemorySegment event = handle();
        int code;
        try (var _ = context.enter()) {
            code = Cuda.cuEventQuery(event);
        }
        if (code == Cuda.CUDA_ERROR_NOT_READY()) {
            return false;
        }
        CudaCheck.ok("cuEventQuery", code);
        return true;
    }

    /// Polls instead of calling `cuEventSynchronize`, which cannot be interrupted and would block the carrier of a
    /// virtual thread.
    @Override
    public void await() throws InterruptedException {
        long began = System.nanoTime();
        long pause = SHORTEST_PAUSE_NS;
        while (!isReached()) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting for an event of a GPU");
            }
            if (System.nanoTime() - began < SPIN_NS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(this, pause);
                pause = Math.min(2 * pause, LONGEST_PAUSE_NS);
            }
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
            context.giveBackEvent(handle);
        }
    }
}
