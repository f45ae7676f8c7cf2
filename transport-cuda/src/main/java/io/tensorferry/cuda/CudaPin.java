package io.tensorferry.cuda;

import io.tensorferry.api.HostPin;
import io.tensorferry.api.StatusCode;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/// Host memory that `cuMemHostRegister` has page-locked.
///
/// The driver locks a range once for all GPUs (`CU_MEMHOSTREGISTER_PORTABLE`), so several pins of the same range share
/// the lock.
///
/// Threading: any thread. A global lock serialises locking and unlocking, as the driver does.
final class CudaPin implements HostPin {
    /// Guarded by itself.
    private static final Map<Range, Locked> LOCKED = new HashMap<>();

    private final CudaContext context;
    private final Range range;
    private final AtomicBoolean closed = new AtomicBoolean();

    private record Range(long address, long bytes) {}

    private static final class Locked {
        /// The context in which the memory was locked; it stays open until the memory is unlocked.
        final CudaContext context;

        /// Keeps memory of an automatic arena alive.
        final MemorySegment memory;

        int holders = 1;

        Locked(CudaContext context, MemorySegment memory) {
            this.context = context;
            this.memory = memory;
        }
    }

    private CudaPin(CudaContext context, Range range) {
        this.context = context;
        this.range = range;
    }

    static CudaPin pin(CudaContext context, MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new IllegalArgumentException("only off-heap memory of 1 byte or more can be pinned, not " + memory);
        }
        var range = new Range(memory.address(), memory.byteSize());
        synchronized (LOCKED) {
            context.addChild();
            Locked before = LOCKED.get(range);
            if (before != null) {
                before.holders++;
            } else {
                try {
                    lock(context, memory);
                } catch (RuntimeException e) {
                    context.removeChild();
                    throw e;
                }
                context.addChild();
                LOCKED.put(range, new Locked(context, memory));
            }
            return new CudaPin(context, range);
        }
    }

    private static void lock(CudaContext context, MemorySegment memory) {
        int code;
        try (var _ = context.enter()) {
            code = Cuda.cuMemHostRegister_v2(memory, memory.byteSize(), Cuda.CU_MEMHOSTREGISTER_PORTABLE());
        }
        CudaCheck.ok("cuMemHostRegister of " + memory.byteSize() + " bytes", code, StatusCode.RESOURCE_EXHAUSTED);
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        synchronized (LOCKED) {
            Locked locked = LOCKED.get(range);
            if (locked != null && --locked.holders == 0) {
                LOCKED.remove(range);
                unlock(locked);
            }
        }
        context.removeChild();
    }

    private static void unlock(Locked locked) {
        locked.context.end(
                "cuMemHostUnregister",
                // By its address: the driver releases the lock even if the memory's arena was closed too early.
                () -> Cuda.cuMemHostUnregister(MemorySegment.ofAddress(locked.memory.address())),
                locked.memory.byteSize() + " bytes of host memory stay locked");
        locked.context.removeChild();
    }
}
