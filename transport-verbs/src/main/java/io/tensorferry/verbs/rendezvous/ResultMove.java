package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.accelerator.MoveEnd;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Takes tensors of this worker that do not go by RDMA to where they are wanted: from one of its accelerators, or to
/// one.
///
/// Threading: any thread.
///
/// @param hostMemory makes what is wanted in host memory, and what passes it between two accelerators; it may wait
public record ResultMove(Accelerators accelerators, TensorAllocator hostMemory) {
    /// Whether a tensor is not where it is wanted, and can be taken there. Strings are in host memory wherever else
    /// they are wanted, and what is on a device that this worker was not given stays there.
    ///
    /// @param wanted the host where it is null
    boolean isNeeded(Tensor tensor, @Nullable AcceleratorUnit wanted) {
        if (accelerators.isEmpty() || !tensor.dataType().isDmaAble()) {
            return false;
        }
        AcceleratorUnit unit = accelerators.of(tensor.device());
        return (unit != null || tensor.device().hostAccessible()) && !Objects.equals(unit, wanted);
    }

    /// Takes a tensor there that it [#isNeeded] for.
    ///
    /// @param tensor is taken over; its content is there
    /// @param options say whose memory it is to be
    /// @param peer whose tensor it is
    public void start(
            Tensor tensor, ReceiveOptions options, @Nullable AcceleratorUnit wanted, String peer, MoveEnd end) {
        TensorAllocator own = wanted == null ? hostMemory : wanted.allocator();
        accelerators.move(tensor, ResultAllocator.of(options, own), hostMemory, peer, end);
    }
}
