package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.accelerator.MoveEnd;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Moves tensors that do not travel by RDMA between host memory and the accelerators of this worker.
///
/// Threading: any thread.
///
/// @param hostMemory allocates results in host memory and the staging memory between two accelerators; it may block
public record ResultMove(Accelerators accelerators, TensorAllocator hostMemory) {
    /// Returns whether a tensor is on another device than `wanted` and can be moved there. String tensors always stay
    /// in host memory. A tensor on a device that this worker was not given stays there.
    ///
    /// @param wanted the requested accelerator; null for the host
    boolean isNeeded(Tensor tensor, @Nullable AcceleratorUnit wanted) {
        if (accelerators.isEmpty() || !tensor.dataType().isDmaAble()) {
            return false;
        }
        AcceleratorUnit unit = accelerators.of(tensor.device());
        return (unit != null || tensor.device().hostAccessible()) && !Objects.equals(unit, wanted);
    }

    /// Moves a tensor for which [#isNeeded] holds.
    ///
    /// @param tensor taken over; its content is complete
    /// @param options name the allocator of the result
    /// @param peer the worker that sent or receives the tensor
    public void start(
            Tensor tensor, ReceiveOptions options, @Nullable AcceleratorUnit wanted, String peer, MoveEnd end) {
        TensorAllocator own = wanted == null ? hostMemory : wanted.allocator();
        accelerators.move(tensor, ResultAllocator.of(options, own), hostMemory, peer, end);
    }
}
