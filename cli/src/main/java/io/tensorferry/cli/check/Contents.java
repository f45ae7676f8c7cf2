package io.tensorferry.cli.check;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.Device;
import io.tensorferry.api.Tensor;
import java.lang.foreign.MemorySegment;

/// What tensors of one size hold, where the processor can read it.
///
/// Threading: one thread.
sealed interface Contents extends AutoCloseable permits Contents.InHostMemory, GpuContents {
    /// Of tensors of one device; takes what that needs.
    ///
    /// @param bytes of each tensor
    static Contents open(Device device, long bytes) {
        return device instanceof Accelerator gpu ? GpuContents.open(gpu, bytes) : new InHostMemory();
    }

    /// Writes the pattern of `seed`; it is there when this returns.
    void fill(Tensor tensor, int seed);

    /// The content, until the next call or until `tensor` is closed.
    MemorySegment of(Tensor tensor);

    /// Leaves nothing of the content. The next tensor may get the same memory, and must not find the pattern there.
    void erase(Tensor tensor);

    @Override
    void close();

    /// Tensors that the processor reads themselves.
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
            // Nothing was taken.
        }
    }
}
