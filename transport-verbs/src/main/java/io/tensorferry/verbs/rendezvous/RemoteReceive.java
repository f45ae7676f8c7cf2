package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.MoveEnd;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One receive that the user waits for, of a tensor on another worker: runs the user's callback exactly once.
///
/// It is itself what the executor of callbacks is given: nothing is made for its end.
///
/// Threading: any thread. The first of content, failure, cancellation and abort ends it; the others find it ended.
public final class RemoteReceive implements PendingReceive, CallbackExecutor.Link {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteReceive.class);
    private static final VarHandle RESULT;
    private static final VarHandle CALLED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            RESULT = lookup.findVarHandle(RemoteReceive.class, "result", RecvResult.class);
            CALLED = lookup.findVarHandle(RemoteReceive.class, "called", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long stepId;
    private final RendezvousKey key;
    private final String peer;
    private final ReceiveOptions options;
    private final @Nullable AcceleratorUnit accelerator;
    private final ResultMove moves;
    private final DoneCallback done;
    private final Executor callbacks;
    private final PendingReceives pending;
    // Null until it has ended.
    private volatile @Nullable RecvResult result;
    private volatile @Nullable ReceiveDeadline deadline;
    // Set once by the transport, before the receive can be reached by anyone else.
    private volatile @Nullable Runnable onGivenUp;

    // Its neighbours in the list of those that are pending, which guards them.
    @Nullable
    RemoteReceive newer;

    @Nullable
    RemoteReceive older;

    // The one that ended before it and waits with it for its callback; the executor's of callbacks.
    private CallbackExecutor.@Nullable Link endedBefore;
    // An executor of the user's may run it and throw, and it must not run again for that.
    @SuppressWarnings("unused") // by its handle
    private volatile boolean called;

    /// A callback of the transport's own, which takes no time: it is told where the receive ends, not on the executor
    /// of callbacks.
    public interface Immediate extends DoneCallback {}

    /// @param accelerator where the result is to be; null for the host
    /// @param moves take a result there that came to host memory
    /// @param pending has it, until it has ended
    public RemoteReceive(
            long stepId,
            RendezvousKey key,
            String peer,
            ReceiveOptions options,
            @Nullable AcceleratorUnit accelerator,
            ResultMove moves,
            DoneCallback done,
            Executor callbacks,
            PendingReceives pending) {
        this.stepId = stepId;
        this.key = key;
        this.peer = peer;
        this.options = options;
        this.accelerator = accelerator;
        this.moves = moves;
        this.done = done;
        this.callbacks = callbacks;
        this.pending = pending;
    }

    public long stepId() {
        return stepId;
    }

    public RendezvousKey key() {
        return key;
    }

    /// The worker that owns the tensor, as `/job:worker/replica:0/task:1`.
    public String peer() {
        return peer;
    }

    /// Where the result is to be. Their timeout is not for the transport: the receive keeps it itself.
    public ReceiveOptions options() {
        return options;
    }

    /// The same for whoever brings the result to host memory only: it goes on from there if it is to be elsewhere.
    public ReceiveOptions hostOptions() {
        return accelerator == null ? options : ReceiveOptions.defaults();
    }

    /// On which accelerator the result is to be; null for the host.
    @Nullable
    public AcceleratorUnit accelerator() {
        return accelerator;
    }

    /// Gives the receive up when `timeout` has passed.
    public void limit(Duration timeout, WorkerContext worker) {
        var started = new ReceiveDeadline();
        deadline = started;
        started.start(worker.timer(), timeout, () -> giveUp(deadlinePassed(key, timeout, worker.obstacle(key))));
        if (hasEnded()) {
            // Perhaps before the deadline was to be seen.
            started.end();
        }
    }

    /// @param obstacle what keeps this worker from reaching the producer, or null
    public static TransportException deadlinePassed(RendezvousKey key, Duration timeout, @Nullable String obstacle) {
        String late = "no tensor for " + key + " within " + timeout;
        return obstacle == null
                ? new TransportException(StatusCode.DEADLINE_EXCEEDED, late)
                : new TransportException(
                        StatusCode.DEADLINE_EXCEEDED,
                        late + "; " + obstacle,
                        key.source().worker(),
                        0,
                        null);
    }

    public boolean hasEnded() {
        return result != null;
    }

    /// What the transport does when the user gives the receive up (cancel, abort, close) before it was completed.
    /// It may run on any thread and at any time after this call, at once if the receive has been given up already.
    public void onGivenUp(Runnable action) {
        onGivenUp = action;
        if (hasEnded()) {
            action.run();
        }
    }

    /// The transport's end: gives `result` to the callback, unless the receive has ended; a tensor that comes too
    /// late is closed. One in host memory that is to be on an accelerator is taken there before. Returns whether it
    /// was in time.
    public boolean complete(RecvResult result) {
        if (accelerator != null
                && result instanceof RecvResult.Received(Tensor tensor)
                && !hasEnded()
                && moves.isNeeded(tensor, accelerator)) {
            moves.start(tensor, options, accelerator, peer, new Moved());
            return true;
        }
        if (!end(result)) {
            if (result instanceof RecvResult.Received(Tensor tensor)) {
                tensor.close();
            }
            return false;
        }
        return true;
    }

    /// What the receive fails with for `thrown`, whatever that is.
    public TransportException asFailure(Throwable thrown) {
        return thrown instanceof TransportException known
                ? known
                : new TransportException(
                        StatusCode.INTERNAL, "the receive of " + key + " failed: " + thrown, peer, 0, thrown);
    }

    private final class Moved implements MoveEnd {
        @Override
        public void onMoved(Tensor tensor) {
            complete(new RecvResult.Received(tensor));
        }

        @Override
        public void onFailed(TransportException cause) {
            complete(new RecvResult.Failed(cause));
        }
    }

    @Override
    public boolean cancel() {
        return giveUp(new TransportException(StatusCode.CANCELLED, "the receive of " + key + " was cancelled"));
    }

    /// The user's end: fails the receive with `cause` and tells the transport.
    public boolean giveUp(TransportException cause) {
        if (!end(new RecvResult.Failed(cause))) {
            return false;
        }
        Runnable action = onGivenUp;
        if (action != null) {
            action.run();
        }
        return true;
    }

    private boolean end(RecvResult how) {
        if (!RESULT.compareAndSet(this, null, how)) {
            return false;
        }
        ReceiveDeadline started = deadline;
        if (started != null) {
            started.end();
        }
        if (done instanceof Immediate) {
            run();
        } else {
            callbacks.execute(this);
        }
        // Behind the callback, so that a step is not finished before the callbacks of its receives are on their way.
        pending.remove(this);
        return true;
    }

    @Override
    public CallbackExecutor.@Nullable Link before() {
        return endedBefore;
    }

    @Override
    public void before(CallbackExecutor.@Nullable Link link) {
        endedBefore = link;
    }

    /// The user's callback; once, when it has ended.
    @Override
    public void run() {
        if (!CALLED.compareAndSet(this, false, true)) {
            return;
        }
        RecvResult how = result;
        if (how == null) {
            throw new IllegalStateException("the receive of " + key + " has not ended");
        }
        runCallback(done, how, key);
    }

    public static void runCallback(DoneCallback done, RecvResult result, RendezvousKey key) {
        try {
            done.done(result);
        } catch (RuntimeException | Error e) {
            LOG.error("the callback of the receive of {} threw", key, e);
        }
    }
}
