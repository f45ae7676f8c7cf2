package io.tensorferry.cuda;

import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntSupplier;

/// The primary context of a GPU. Frameworks use the same context, so their pointers, streams and events are valid in
/// it. It lives as long as any part of the process retains it.
///
/// A driver function works in the current context of the calling thread. Each call is therefore made between
/// [#enter()], which makes this context current, and the close of the returned object, which restores the previous
/// context. The driver sees the carrier thread of a virtual thread: in between, the code must not take a lock or block,
/// because the virtual thread could be unmounted.
///
/// Threading: any thread.
final class CudaContext {
    private static final int MOST_SPARE_EVENTS = 1024;

    private final String owner;
    private final int device;
    private final MemorySegment handle;
    private final Current current = new Current();
    // Guarded by this.
    private final Deque<MemorySegment> spareEvents = new ArrayDeque<>();
    // Written under the monitor, read without it.
    private volatile boolean closed;
    private int open;

    /// @param owner as `GPU:0`, for messages
    private CudaContext(String owner, int device, MemorySegment handle) {
        this.owner = owner;
        this.device = device;
        this.handle = handle;
    }

    static CudaContext retain(String owner, int device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment context = arena.allocate(Cuda.C_POINTER);
            CudaCheck.ok("cuDevicePrimaryCtxRetain", Cuda.cuDevicePrimaryCtxRetain(context, device));
            return new CudaContext(owner, device, context.get(Cuda.C_POINTER, 0));
        }
    }

    /// Makes this context current for the calling thread, until the returned object is closed.
    ///
    /// @throws IllegalStateException if this context is closed
    /// @throws io.tensorferry.api.TransportException `INTERNAL` with the driver's error
    Current enter() {
        if (closed) {
            throw closedException();
        }
        CudaCheck.ok("cuCtxPushCurrent", Cuda.cuCtxPushCurrent_v2(handle));
        return current;
    }

    /// Restores the context that was current before [CudaContext#enter()]. It has no state, so one object serves all
    /// calls.
    static final class Current implements AutoCloseable {
        private Current() {}

        @Override
        public void close() {
            // Cannot fail: `enter` has pushed the context.
            int _ = Cuda.cuCtxPopCurrent_v2(MemorySegment.NULL);
        }
    }

    /// Counts an open resource of this context.
    ///
    /// @throws IllegalStateException if this context is closed
    synchronized void addChild() {
        if (closed) {
            throw closedException();
        }
        open++;
    }

    synchronized void removeChild() {
        open--;
    }

    /// Returns an unused event, new or reused. Creating an event takes the driver microseconds.
    MemorySegment takeEvent() {
        synchronized (this) {
            addChild();
            MemorySegment spare = spareEvents.pollFirst();
            if (spare != null) {
                return spare;
            }
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(Cuda.C_POINTER);
            int code;
            try (var _ = enter()) {
                code = Cuda.cuEventCreate(event, Cuda.CU_EVENT_DISABLE_TIMING());
            }
            CudaCheck.ok("cuEventCreate", code);
            return event.get(Cuda.C_POINTER, 0);
        } catch (RuntimeException e) {
            removeChild();
            throw e;
        }
    }

    /// @param event an event of [#takeEvent()]; existing waits for it keep waiting for the work that was recorded
    void giveBackEvent(MemorySegment event) {
        synchronized (this) {
            if (spareEvents.size() < MOST_SPARE_EVENTS) {
                spareEvents.addFirst(event);
                removeChild();
                return;
            }
        }
        destroy(event);
        removeChild();
    }

    private void destroy(MemorySegment event) {
        end("cuEventDestroy", () -> Cuda.cuEventDestroy_v2(event), "an event of " + owner + " is leaked");
    }

    /// Releases a resource of this context. A failure is logged: the caller cannot handle it, and has more resources to
    /// release.
    ///
    /// @param ending calls the driver's `function`, and waits for no other thread
    /// @param left the consequence of a failure, for the log
    void end(String function, IntSupplier ending, String left) {
        int code = Cuda.cuCtxPushCurrent_v2(handle);
        if (code == Cuda.CUDA_SUCCESS()) {
            try (var _ = current) {
                code = ending.getAsInt();
            }
        }
        CudaCheck.ended(function, code, left);
    }

    /// Releases the context. The second and later calls do nothing.
    ///
    /// @throws IllegalStateException if a resource of this context is open
    synchronized void close() {
        if (closed) {
            return;
        }
        if (open > 0) {
            throw new IllegalStateException(owner + " is in use: open memory, streams, events and pins: " + open);
        }
        spareEvents.forEach(this::destroy);
        spareEvents.clear();
        closed = true;
        CudaCheck.ended(
                "cuDevicePrimaryCtxRelease",
                Cuda.cuDevicePrimaryCtxRelease_v2(device),
                "the context of " + owner + " stays retained");
    }

    private IllegalStateException closedException() {
        return new IllegalStateException(owner + " is closed");
    }
}
