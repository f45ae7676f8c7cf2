package io.tensorferry.cli.check;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.Device;
import io.tensorferry.api.Tensor;
import java.lang.foreign.MemorySegment;

/// Accesses the content of tensors of one size in host memory.
///
/// Threading: one thread.
sealed interface Contents extends AutoCloseable permits Contents.InHostMemory, GpuContents {
    /// Opens access to tensors of one device, and allocates the necessary resources.
    ///
    /// @param bytes the size of each tensor
    static Contents open(Device device, long bytes) {
        return device instanceof Accelerator gpu ? GpuContents.open(gpu, bytes) : new InHostMemory();
    }

    /// Writes the pattern of `seed`; the pattern is complete when this returns.
    void fill(Tensor tensor, int seed);

    /// The content, valid until the next call or until `tensor` is closed.
    MemorySegment of(Tensor tensor);

    /// Overwrites the content. The next tensor may reuse the memory and must not find the pattern there.
    void erase(Tensor tensor);

    @Override
    void close();

    /// Access to tensors in host memory, without a copy.
    record InHostMemory() implements Contents {
        @Override
        public void fill(Tensor tensor, int seed) {
            TestPattern.fill(tensor.segment(), seed);
        }

        @Override
        public MemorySegment of(Tensor tensor) {
            return tensor.segment();
        }

        @Override
        public void erase(Tensor tensor) {
            tensor.segment().fill((byte) 0);
        }

        @Override
        public void close() {
            // No resource was allocated.
        }
    }
}
