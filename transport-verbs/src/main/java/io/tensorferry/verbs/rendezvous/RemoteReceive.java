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

/// A pending receive of a tensor on another worker; runs the user's callback exactly once.
///
/// The object itself is the task for the callback executor, so its completion allocates nothing.
///
/// Threading: any thread. The first of content, failure, cancellation and abort completes the receive; later events
/// have no effect.
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
    // Null until the receive has ended.
    private volatile @Nullable RecvResult result;
    private volatile @Nullable ReceiveDeadline deadline;
    // Set once by the transport, before any other thread can reach the receive.
    private volatile @Nullable Runnable onGivenUp;

    // The neighbours in the list of pending receives, which guards them.
    @Nullable
    RemoteReceive newer;

    @Nullable
    RemoteReceive older;

    // Links the receives that wait for their callbacks; belongs to the callback executor.
    private CallbackExecutor.@Nullable Link endedBefore;
    // A user's executor may run the task and throw; the callback must not run again then.
    @SuppressWarnings("unused") // by its handle
    private volatile boolean called;

    /// A short callback of the transport itself. It runs on the thread that ends the receive, not on the callback
    /// executor.
    public interface Immediate extends DoneCallback {}

    /// @param accelerator the device of the result; null for the host
    /// @param moves moves a result there that arrived in host memory
    /// @param pending lists the receive until it has ended
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

    /// The options of the receive. The transport ignores their timeout: the receive enforces it.
    public ReceiveOptions options() {
        return options;
    }

    /// The options for a transport that delivers to host memory only: the default options if the result is moved to an
    /// accelerator afterwards.
    public ReceiveOptions hostOptions() {
        return accelerator == null ? options : ReceiveOptions.defaults();
    }

    /// The accelerator of the result; null for the host.
    @Nullable
    public AcceleratorUnit accelerator() {
        return accelerator;
    }

    /// Fails the receive when `timeout` has passed.
    public void limit(Duration timeout, WorkerContext worker) {
        var started = new ReceiveDeadline();
        deadline = started;
        started.start(worker.timer(), timeout, () -> giveUp(deadlinePassed(key, timeout, worker.obstacle(key))));
        if (hasEnded()) {
            // The receive may have ended before it could see the deadline.
            started.end();
        }
    }

    /// @param obstacle describes why this worker cannot reach the producer, or null
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

    /// Sets the transport's action for a receive that the user gives up (cancel, abort, close) before it is complete.
    /// The action may run on any thread and at any time after this call; it runs at once if the receive has ended
    /// already.
    public void onGivenUp(Runnable action) {
        onGivenUp = action;
        if (hasEnded()) {
            action.run();
        }
    }

    /// Completes the receive with `result`, on behalf of the transport. A tensor that arrives too late is closed. A
    /// tensor in host memory whose result belongs on an accelerator is moved there first. Returns whether the receive
    /// was still pending.
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

    /// Converts `thrown` to the failure of this receive; exceptions other than [TransportException] become `INTERNAL`.
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

    /// Fails the receive with `cause`, on behalf of the user, and notifies the transport.
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
        // After the callback, so that a step does not finish before the callbacks of its receives are queued.
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

    /// Runs the user's callback once, after the receive has ended.
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
