package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.accelerator.CopyTask;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The receives of one step that have a tensor on an accelerator of this worker, whose content its producer has only
/// queued: each waits for it.
///
/// Threading: any thread.
final class ContentWaits {
    private final Accelerators accelerators;
    private final Executor closers;
    private final Set<Wait> waiting = ConcurrentHashMap.newKeySet();
    private volatile @Nullable TransportException aborted;

    /// @param closers close tensors, which may wait for a driver
    ContentWaits(Accelerators accelerators, Executor closers) {
        this.accelerators = accelerators;
        this.closers = closers;
    }

    /// A wait for the content of `tensor`; null if there is nothing to be waited for.
    ///
    /// @param end is told how the wait ends, once
    @Nullable
    Wait of(Tensor tensor, Consumer<RecvResult> end) {
        DeviceEvent ready = tensor.readyEvent();
        AcceleratorUnit unit = ready == null ? null : accelerators.of(tensor.device());
        return unit == null || ready == null ? null : new Wait(unit, tensor, ready, end);
    }

    /// Ends all with a failure, and those that begin later.
    void abort(TransportException cause) {
        aborted = cause;
        for (Wait wait : waiting) {
            wait.giveUp(cause);
        }
    }

    /// One of them. Ownership: the tensor is this wait's, until it is handed over or closed: the event must live as
    /// long as it is looked at.
    final class Wait extends CopyTask {
        private final AcceleratorUnit unit;
        private final Tensor tensor;
        private final DeviceEvent ready;
        private final Consumer<RecvResult> end;
        private final AtomicBoolean over = new AtomicBoolean();

        private Wait(AcceleratorUnit unit, Tensor tensor, DeviceEvent ready, Consumer<RecvResult> end) {
            this.unit = unit;
            this.tensor = tensor;
            this.ready = ready;
            this.end = end;
        }

        void start() {
            waiting.add(this);
            unit.copies().whenReached(ready, this);
            // Perhaps after the last look at those that wait.
            TransportException cause = aborted;
            if (cause != null) {
                giveUp(cause);
            }
            if (over.get()) {
                // Perhaps before it was in the set, and in the queue.
                waiting.remove(this);
                callOff();
            }
        }

        /// Nobody waits any more; returns whether somebody did.
        boolean giveUp(TransportException cause) {
            boolean ended = end(new RecvResult.Failed(cause));
            if (ended) {
                callOff();
            }
            return ended;
        }

        private boolean end(RecvResult how) {
            if (!over.compareAndSet(false, true)) {
                return false;
            }
            waiting.remove(this);
            end.accept(how);
            return true;
        }

        @Override
        protected void onDone() {
            if (!end(new RecvResult.Received(tensor))) {
                closers.execute(tensor::close);
            }
        }

        @Override
        protected void onFailed(TransportException cause, boolean stranded) {
            end(new RecvResult.Failed(cause));
            closers.execute(tensor::close);
        }
    }
}
