package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import org.jspecify.annotations.Nullable;

/// One tensor on an accelerator that becomes another one in host memory, or the other way round.
///
/// Threading: started on a worker; told of its copies on the loop.
final class TensorMove {
    private final AcceleratorUnit unit;
    private final Tensor source;
    private final Tensor target;
    private final MoveEnd end;
    // Null where there is nothing to be copied.
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

    /// @param unit of the end that is on an accelerator
    /// @param source is taken over
    /// @param to makes the other end, and may wait
    /// @param peer whose tensor it is
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
        // What the accelerator may still reach is nobody's any more.
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

    /// Not on the loop where the last close may call the driver.
    private void close(Tensor tensor) {
        if (tensor.device().hostAccessible() && tensor.readyEvent() == null) {
            tensor.close();
        } else {
            unit.copies().release(tensor);
        }
    }
}
