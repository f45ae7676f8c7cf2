package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One receive that the user waits for, of a tensor on another worker: runs the user's callback exactly once.
///
/// Threading: any thread. The first of content, failure, cancellation and abort ends it; the others find it ended.
public final class RemoteReceive implements PendingReceive {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteReceive.class);

    private final long stepId;
    private final RendezvousKey key;
    private final String peer;
    private final DoneCallback done;
    private final Executor callbacks;
    private final Consumer<RemoteReceive> onEnd;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final ReceiveDeadline deadline = new ReceiveDeadline();
    // Set once by the transport, before the receive can be reached by anyone else.
    private volatile Runnable onGivenUp = () -> {};

    /// @param onEnd runs once, when the receive has ended, before the callback
    RemoteReceive(
            long stepId,
            RendezvousKey key,
            String peer,
            DoneCallback done,
            Executor callbacks,
            Consumer<RemoteReceive> onEnd) {
        this.stepId = stepId;
        this.key = key;
        this.peer = peer;
        this.done = done;
        this.callbacks = callbacks;
        this.onEnd = onEnd;
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

    /// Gives the receive up when `timeout` has passed.
    void limit(Duration timeout, ReceiveTimer timer) {
        deadline.start(timer, timeout, () -> giveUp(deadlinePassed(key, timeout)));
    }

    static TransportException deadlinePassed(RendezvousKey key, Duration timeout) {
        return new TransportException(StatusCode.DEADLINE_EXCEEDED, "no tensor for " + key + " within " + timeout);
    }

    public boolean hasEnded() {
        return ended.get();
    }

    /// What the transport does when the user gives the receive up (cancel, abort, close) before it was completed.
    /// It may run on any thread and at any time after this call, at once if the receive has been given up already.
    public void onGivenUp(Runnable action) {
        onGivenUp = action;
        if (ended.get()) {
            action.run();
        }
    }

    /// The transport's end: gives `result` to the callback, unless the receive has ended; a tensor that comes too
    /// late is closed. Returns whether it was in time.
    public boolean complete(RecvResult result) {
        if (!end(result)) {
            if (result instanceof RecvResult.Received(Tensor tensor)) {
                tensor.close();
            }
            return false;
        }
        return true;
    }

    @Override
    public boolean cancel() {
        return giveUp(new TransportException(StatusCode.CANCELLED, "the receive of " + key + " was cancelled"));
    }

    /// The user's end: fails the receive with `cause` and tells the transport.
    boolean giveUp(TransportException cause) {
        if (!end(new RecvResult.Failed(cause))) {
            return false;
        }
        onGivenUp.run();
        return true;
    }

    private boolean end(RecvResult result) {
        if (!ended.compareAndSet(false, true)) {
            return false;
        }
        deadline.end();
        onEnd.accept(this);
        callbacks.execute(() -> runCallback(done, result, key));
        return true;
    }

    static void runCallback(DoneCallback done, RecvResult result, RendezvousKey key) {
        try {
            done.done(result);
        } catch (RuntimeException e) {
            LOG.error("the callback of the receive of {} threw", key, e);
        }
    }
}
