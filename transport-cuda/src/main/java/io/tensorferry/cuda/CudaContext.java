package io.tensorferry.cuda;

import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntSupplier;

/// The primary context of a GPU: the one that frameworks use, so that pointers, streams and events of theirs are
/// good in it. It lives as long as somebody in the process has retained it.
///
/// A function of the driver works in the context that is current for the calling thread. So each call is made
/// between [#enter()] and the end of what that returns, which makes this context current and puts back what was. To
/// the driver a virtual thread is the thread that carries it: between the two nothing may be done that could take
/// the virtual thread off it, no lock and no waiting.
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
    // Guarded by this, but read without.
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

    /// Makes this context the calling thread's, until what it returns is closed.
    ///
    /// @throws IllegalStateException if it is closed
    /// @throws io.tensorferry.api.TransportException `INTERNAL` with what the driver says
    Current enter() {
        if (closed) {
            throw closedException();
        }
        CudaCheck.ok("cuCtxPushCurrent", Cuda.cuCtxPushCurrent_v2(handle));
        return current;
    }

    /// Ends what [CudaContext#enter()] began. One object for all calls: it has nothing of its own.
    static final class Current implements AutoCloseable {
        private Current() {}

        @Override
        public void close() {
            // Cannot fail: what is popped was pushed.
            int _ = Cuda.cuCtxPopCurrent_v2(MemorySegment.NULL);
        }
    }

    /// Counts something that is open in this context.
    ///
    /// @throws IllegalStateException if it is closed
    synchronized void addChild() {
        if (closed) {
            throw closedException();
        }
        open++;
    }

    synchronized void removeChild() {
        open--;
    }

    /// An event that nobody uses: a new one, or one that served before. Making one takes the driver microseconds.
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

    /// @param event what [#takeEvent()] gave; who waits for it already goes on waiting for what it stood for
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
        end("cuEventDestroy", () -> Cuda.cuEventDestroy_v2(event), "an event of " + owner + " is left behind");
    }

    /// Ends something that was open here. A failure is logged: the caller can do nothing about it, and has more to
    /// end.
    ///
    /// @param ending calls the driver's `function`, and does nothing that waits for another thread
    /// @param left what is so if it fails
    void end(String function, IntSupplier ending, String left) {
        int code = Cuda.cuCtxPushCurrent_v2(handle);
        if (code == Cuda.CUDA_SUCCESS()) {
            try (var _ = current) {
                code = ending.getAsInt();
            }
        }
        CudaCheck.ended(function, code, left);
    }

    /// Lets go of the context. The second and later calls do nothing.
    ///
    /// @throws IllegalStateException if something is open in it
    synchronized void close() {
        if (closed) {
            return;
        }
        if (open > 0) {
            throw new IllegalStateException(
                    owner + " is in use: memory, streams, events and pins that are open on it: " + open);
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
