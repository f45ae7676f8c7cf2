package io.tensorferry.cli.check;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.HostPin;
import io.tensorferry.api.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Accesses the content of tensors on a GPU by copies through pinned host memory.
///
/// Threading: one thread.
final class GpuContents implements Contents {
    // Drivers pin whole pages.
    private static final long PAGE = 4096;

    private final Arena arena;
    private final HostPin pin;
    private final DeviceStream stream;
    private final MemorySegment memory;
    // Set while the GPU may access the memory.
    private boolean isCopying;

    private GpuContents(Arena arena, HostPin pin, DeviceStream stream, MemorySegment memory) {
        this.arena = arena;
        this.pin = pin;
        this.stream = stream;
        this.memory = memory;
    }

    /// @param bytes the size of each tensor, 1 or more
    static GpuContents open(Accelerator gpu, long bytes) {
        // Not confined, because the driver performs the copy.
        Arena arena = Arena.ofShared();
        try {
            MemorySegment pages = arena.allocate(Math.ceilDiv(bytes, PAGE) * PAGE, PAGE);
            HostPin pin = gpu.pin(pages);
            try {
                return new GpuContents(arena, pin, gpu.openStream(), pages.asSlice(0, bytes));
            } catch (RuntimeException e) {
                pin.close();
                throw e;
            }
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    @Override
    public void fill(Tensor tensor, int seed) {
        TestPattern.fill(memory, seed);
        copy(() -> stream.copyFromHost(memory, tensor.address()));
    }

    @Override
    public MemorySegment of(Tensor tensor) {
        copy(() -> stream.copyToHost(tensor.address(), memory));
        return memory;
    }

    @Override
    public void erase(Tensor tensor) {
        memory.fill((byte) 0);
        copy(() -> stream.copyFromHost(memory, tensor.address()));
    }

    private void copy(Runnable queued) {
        isCopying = true;
        queued.run();
        try (DeviceEvent done = stream.record()) {
            await(done);
        }
        isCopying = false;
    }

    /// Waits even if the thread is interrupted: the memory must remain until the GPU has finished.
    private static void await(DeviceEvent done) {
        boolean interrupted = false;
        while (!done.isReached()) {
            try {
                done.await();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// Releases the memory. Memory that a failed GPU may still access remains allocated until the process ends.
    @Override
    public void close() {
        stream.close();
        pin.close();
        if (!isCopying) {
            arena.close();
        }
    }
}
