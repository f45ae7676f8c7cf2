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

    private TensorMove(AcceleratorUnit unit, Tensor source, Tensor target, MoveEnd end) {
        this.unit = unit;
        this.source = source;
        this.target = target;
        this.end = end;
    }

    /// @param unit of the end that is on an accelerator
    /// @param source is taken over
    /// @param to makes the other end, and may wait
    /// @param peer whose tensor it is
    static void start(AcceleratorUnit unit, Tensor source, TensorAllocator to, String peer, MoveEnd end) {
        Tensor target;
        try {
            target = to.allocate(source.dataType(), source.shape());
        } catch (RuntimeException e) {
            source.close();
            TransportException cause = e instanceof TransportException known
                    ? known
                    : new TransportException(StatusCode.INTERNAL, source + " could not be moved: " + e, e);
            unit.loop().execute(() -> end.onFailed(cause));
            return;
        }
        var move = new TensorMove(unit, source, target, end);
        unit.loop().execute(() -> move.copy(peer));
    }

    private void copy(String peer) {
        if (source.byteSize() == 0) {
            onCopied(null);
            return;
        }
        boolean toHost = target.device().hostAccessible();
        var copy = toHost
                ? new HostCopy(unit, true, source, target.segment(), this::onCopied)
                : new HostCopy(unit, false, target, source.segment(), this::onCopied);
        copy.start(peer);
    }

    private void onCopied(HostCopy.@Nullable Failure failure) {
        if (failure == null) {
            source.close();
            end.onMoved(target);
            return;
        }
        // What the accelerator may still reach is nobody's any more.
        closeUnlessStranded(source, failure);
        closeUnlessStranded(target, failure);
        end.onFailed(failure.cause());
    }

    private static void closeUnlessStranded(Tensor tensor, HostCopy.Failure failure) {
        if (!failure.stranded() || tensor.device().hostAccessible()) {
            tensor.close();
        }
    }
}
