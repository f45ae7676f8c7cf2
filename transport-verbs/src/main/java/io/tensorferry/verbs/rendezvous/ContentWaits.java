package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.accelerator.CopyTask;
import io.tensorferry.verbs.accelerator.MoveEnd;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The receives of one step that hold a tensor of this worker and wait for it: its content is pending, or it must move
/// to another device.
///
/// Threading: any thread.
public final class ContentWaits {
    private final Accelerators accelerators;
    private final ResultMove moves;
    private final Executor closers;
    private final Runnable onEnded;
    private final Set<Wait> waiting = ConcurrentHashMap.newKeySet();
    private volatile @Nullable TransportException aborted;

    /// @param closers closes tensors, which may block on a driver
    /// @param onEnded runs each time that a wait has ended
    public ContentWaits(ResultMove moves, Executor closers, Runnable onEnded) {
        this.onEnded = onEnded;
        this.accelerators = moves.accelerators();
        this.moves = moves;
        this.closers = closers;
    }

    /// Returns whether a tensor is in host memory, or on an accelerator that this worker was given.
    public boolean knows(Tensor tensor) {
        return tensor.device().hostAccessible() || accelerators.of(tensor.device()) != null;
    }

    /// Returns the failure for a tensor on an accelerator that this worker was not given.
    public TransportException unknownDevice(Tensor tensor) {
        return new TransportException(
                StatusCode.INVALID_ARGUMENT,
                "the tensor is on " + tensor.device() + ", but its worker was given " + accelerators);
    }

    /// Closes a tensor whose last close may block on a driver.
    public void close(Tensor tensor) {
        AcceleratorUnit unit = unitOf(tensor);
        if (unit == null) {
            closers.execute(tensor::close);
        } else {
            unit.copies().release(tensor);
        }
    }

    /// Returns whether `tensor` must be waited for or moved before it can be handed over.
    ///
    /// @param complete whether the content must be complete
    /// @param wanted the requested device; null for the host
    public boolean isFor(Tensor tensor, boolean complete, @Nullable AcceleratorUnit wanted) {
        return moves.isNeeded(tensor, wanted) || (complete && awaited(tensor) != null);
    }

    /// Creates a wait for the content of `tensor`, and for its move if it is not on the requested device.
    ///
    /// @param tensor a tensor for which [#isFor] holds
    /// @param options name the allocator of the result if the tensor is moved
    /// @param peer the worker that the tensor is for
    /// @param end receives the result of the wait, once
    public Wait of(
            Tensor tensor,
            ReceiveOptions options,
            @Nullable AcceleratorUnit wanted,
            String peer,
            Consumer<RecvResult> end) {
        return new Wait(tensor, options, wanted, peer, end);
    }

    /// Returns the event that completes the content; null if there is none, if no accelerator of this worker can poll
    /// it, or if the tensor is closed, because its event is then closed too.
    private @Nullable DeviceEvent awaited(Tensor tensor) {
        return unitOf(tensor) == null || tensor.isClosed() ? null : tensor.readyEvent();
    }

    /// Returns the accelerator that polls the tensor's event. For a tensor in host memory any accelerator will do.
    private @Nullable AcceleratorUnit unitOf(Tensor tensor) {
        if (!tensor.device().hostAccessible()) {
            return accelerators.of(tensor.device());
        }
        return accelerators.isEmpty() ? null : accelerators.first();
    }

    public boolean isEmpty() {
        return waiting.isEmpty();
    }

    /// Fails all waits, and those that begin later.
    public void abort(TransportException cause) {
        aborted = cause;
        for (Wait wait : waiting) {
            wait.giveUp(cause);
        }
    }

    /// Holds the wait of one receive; the owner may give it up before the wait begins.
    public static final class Place {
        private volatile @Nullable Wait wait;
        private volatile @Nullable TransportException unwanted;

        /// Starts `begun`, and gives it up if [#refuse] has been called.
        public void begin(Wait begun) {
            begun.start();
            wait = begun;
            TransportException cause = unwanted;
            if (cause != null) {
                begun.giveUp(cause);
            }
        }

        /// Refuses the wait: a wait that begins later is given up at once.
        ///
        /// @return the wait in progress, which the caller must give up; null if there is none
        @Nullable
        public Wait refuse(TransportException cause) {
            // Set before `wait` is read: a wait that is not visible yet is given up by the thread that begins it.
            unwanted = cause;
            return wait;
        }
    }

    /// One wait. Ownership: it owns the tensor until the tensor is handed over, moved or closed, because the event must
    /// live while it is polled.
    public final class Wait extends CopyTask implements MoveEnd {
        private final Tensor tensor;
        private final ReceiveOptions options;
        private final @Nullable AcceleratorUnit wanted;
        private final String peer;
        private final Consumer<RecvResult> end;
        private final AtomicBoolean over = new AtomicBoolean();
        private boolean outlivesStep;

        private Wait(
                Tensor tensor,
                ReceiveOptions options,
                @Nullable AcceleratorUnit wanted,
                String peer,
                Consumer<RecvResult> end) {
            this.tensor = tensor;
            this.options = options;
            this.wanted = wanted;
            this.peer = peer;
            this.end = end;
        }

        /// Lets the wait outlive its step once the content is complete: the move then continues to its receiver, as the
        /// delivery of a tensor that needs no move does. Called before [#start()].
        public Wait outlivingStep() {
            outlivesStep = true;
            return this;
        }

        public void start() {
            waiting.add(this);
            // The abort may have passed over this wait.
            TransportException cause = aborted;
            if (cause != null && giveUp(cause)) {
                close(tensor);
                return;
            }
            DeviceEvent ready = awaited(tensor);
            AcceleratorUnit unit = unitOf(tensor);
            if (ready == null || unit == null) {
                onDone();
                return;
            }
            unit.copies().whenReached(ready, this);
            if (over.get()) {
                // The call may have come before the task was queued.
                callOff();
            }
        }

        /// Ends the wait with `cause`; returns whether it was still in progress.
        public boolean giveUp(TransportException cause) {
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
            onEnded.run();
            return true;
        }

        /// Called when the content is complete.
        @Override
        protected void onDone() {
            if (!over.get() && moves.isNeeded(tensor, wanted)) {
                if (outlivesStep) {
                    waiting.remove(this);
                }
                moves.start(tensor, options, wanted, peer, this);
            } else {
                onMoved(tensor);
            }
        }

        @Override
        public void onMoved(Tensor moved) {
            if (!end(new RecvResult.Received(moved))) {
                close(moved);
            }
        }

        @Override
        public void onFailed(TransportException cause) {
            end(new RecvResult.Failed(cause));
        }

        @Override
        protected void onFailed(TransportException cause, boolean stranded) {
            onFailed(cause);
            close(tensor);
        }
    }
}
