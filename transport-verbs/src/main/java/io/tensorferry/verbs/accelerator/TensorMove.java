package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import org.jspecify.annotations.Nullable;

/// Moves one tensor from an accelerator to host memory, or the other way round.
///
/// Threading: started on a worker; copy callbacks run on the loop.
final class TensorMove {
    private final AcceleratorUnit unit;
    private final Tensor source;
    private final Tensor target;
    private final MoveEnd end;
    // Null if there is nothing to copy.
    private final @Nullable HostCopy copy;

    /// @throws IllegalStateException if the source is closed
    private TensorMove(AcceleratorUnit unit, Tensor source, Tensor target, MoveEnd end) {
        this.unit = unit;
        this.source = source;
        this.target = target;
        this.end = end;
        if (source.byteSize() == 0) {
            this.copy = null;
        } else if (target.device().hostAccessible()) {
            this.copy = new HostCopy(unit, true, source, target.segment(), this::onCopied);
        } else {
            this.copy = new HostCopy(unit, false, target, source.segment(), this::onCopied);
        }
    }

    /// @param unit the accelerator at one end of the move
    /// @param source the tensor to move; ownership passes to the move
    /// @param to allocates the target, and may wait
    /// @param peer the peer whose tensor is moved
    static void start(AcceleratorUnit unit, Tensor source, TensorAllocator to, String peer, MoveEnd end) {
        Tensor target = null;
        try {
            target = to.allocate(source.dataType(), source.shape());
            var move = new TensorMove(unit, source, target, end);
            unit.loop().execute(() -> move.start(peer));
        } catch (RuntimeException | Error e) {
            if (target != null) {
                target.close();
            }
            source.close();
            TransportException cause = e instanceof TransportException known
                    ? known
                    : new TransportException(StatusCode.INTERNAL, source + " could not be moved: " + e, e);
            unit.loop().execute(() -> {
                end.onFailed(cause);
                unit.moveEnds();
            });
        }
    }

    private void start(String peer) {
        if (copy == null) {
            onCopied(null);
        } else {
            copy.start(peer);
        }
    }

    private void onCopied(HostCopy.@Nullable Failure failure) {
        if (failure == null) {
            close(source);
            end.onMoved(target);
            unit.moveEnds();
            return;
        }
        // Tensors that the accelerator may still access are leaked.
        closeUnlessStranded(source, failure);
        closeUnlessStranded(target, failure);
        end.onFailed(failure.cause());
        unit.moveEnds();
    }

    private void closeUnlessStranded(Tensor tensor, HostCopy.Failure failure) {
        if (failure.stranded() && !tensor.device().hostAccessible()) {
            unit.strand(tensor);
        } else {
            close(tensor);
        }
    }

    /// Closes the tensor off the loop if the last close may call the driver.
    private void close(Tensor tensor) {
        if (tensor.device().hostAccessible() && tensor.readyEvent() == null) {
            tensor.close();
        } else {
            unit.copies().release(tensor);
        }
    }
}
