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

/// The receives of one step that have a tensor of this worker, whose content its producer has only queued, or which is
/// not where it is wanted: each waits for it.
///
/// Threading: any thread.
public final class ContentWaits {
    private final Accelerators accelerators;
    private final ResultMove moves;
    private final Executor closers;
    private final Runnable onEnded;
    private final Set<Wait> waiting = ConcurrentHashMap.newKeySet();
    private volatile @Nullable TransportException aborted;

    /// @param closers close tensors, which may wait for a driver
    /// @param onEnded runs each time that one has ended
    public ContentWaits(ResultMove moves, Executor closers, Runnable onEnded) {
        this.onEnded = onEnded;
        this.accelerators = moves.accelerators();
        this.moves = moves;
        this.closers = closers;
    }

    /// Whether a tensor is in host memory, or on an accelerator that this worker was given.
    public boolean knows(Tensor tensor) {
        return tensor.device().hostAccessible() || accelerators.of(tensor.device()) != null;
    }

    /// What is said of one that it does not know.
    public TransportException unknownDevice(Tensor tensor) {
        return new TransportException(
                StatusCode.INVALID_ARGUMENT,
                "the tensor is on " + tensor.device() + ", and its worker was given " + accelerators);
    }

    /// Closes a tensor whose last close may wait for a driver.
    public void close(Tensor tensor) {
        AcceleratorUnit unit = unitOf(tensor);
        if (unit == null) {
            closers.execute(tensor::close);
        } else {
            unit.copies().release(tensor);
        }
    }

    /// Whether there is something to be waited for before `tensor` can be handed over.
    ///
    /// @param complete whether its content is to be there
    /// @param wanted where it is to be; null for the host
    public boolean isFor(Tensor tensor, boolean complete, @Nullable AcceleratorUnit wanted) {
        return moves.isNeeded(tensor, wanted) || (complete && awaited(tensor) != null);
    }

    /// A wait for the content of `tensor`, and for its move if it is not where it is wanted.
    ///
    /// @param tensor [#isFor] it
    /// @param options say whose memory it is to be if it is moved
    /// @param peer for whom it is
    /// @param end is told how the wait ends, once
    public Wait of(
            Tensor tensor,
            ReceiveOptions options,
            @Nullable AcceleratorUnit wanted,
            String peer,
            Consumer<RecvResult> end) {
        return new Wait(tensor, options, wanted, peer, end);
    }

    /// The event that its content is there at; null if it is there, or nobody here could look at the event. That of a
    /// tensor that its producer has closed is closed too.
    private @Nullable DeviceEvent awaited(Tensor tensor) {
        return unitOf(tensor) == null || tensor.isClosed() ? null : tensor.readyEvent();
    }

    /// Who looks at its event: for one in host memory, which waits for some accelerator, any.
    private @Nullable AcceleratorUnit unitOf(Tensor tensor) {
        if (!tensor.device().hostAccessible()) {
            return accelerators.of(tensor.device());
        }
        return accelerators.isEmpty() ? null : accelerators.first();
    }

    public boolean isEmpty() {
        return waiting.isEmpty();
    }

    /// Ends all with a failure, and those that begin later.
    public void abort(TransportException cause) {
        aborted = cause;
        for (Wait wait : waiting) {
            wait.giveUp(cause);
        }
    }

    /// The wait of one receive, which its owner may give up before the wait begins.
    public static final class Place {
        private volatile @Nullable Wait wait;
        private volatile @Nullable TransportException unwanted;

        /// Starts `begun`, and gives it up if it is not wanted any more.
        public void begin(Wait begun) {
            begun.start();
            wait = begun;
            TransportException cause = unwanted;
            if (cause != null) {
                begun.giveUp(cause);
            }
        }

        /// No wait is wanted any more: one that begins later is given up at once.
        ///
        /// @return the wait that has begun and that the caller is to give up; null if there is none
        @Nullable
        public Wait refuse(TransportException cause) {
            // Before the look: a wait that is not visible yet is given up by the thread that begins it.
            unwanted = cause;
            return wait;
        }
    }

    /// One of them. Ownership: the tensor is this wait's, until it is handed over, moved or closed: the event must live
    /// as long as it is looked at.
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

        /// The end of the step does not end it once the content is there: it goes on to whoever asked for it, as one
        /// that need not be moved does. Called before [#start()].
        public Wait outlivingStep() {
            outlivesStep = true;
            return this;
        }

        public void start() {
            waiting.add(this);
            // Perhaps after the last look at those that wait.
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
                // Perhaps before it was in the queue.
                callOff();
            }
        }

        /// Nobody waits any more; returns whether somebody did.
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

        /// The content is there.
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
