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
import org.jspecify.annotations.Nullable;

/// One receive of a tensor that is produced on the same worker: waits in the table and gets the producer's own handle,
/// so that no memory is made for it; where that one's content is still to come, and the user wants it, it waits for it.
///
/// Threading: any thread. It ends when the table calls it, or when it is taken out of the table.
final class LocalReceive extends TagTable.Waiter implements PendingReceive, Runnable {
    private final RendezvousKey key;
    private final TagTable table;
    private final DoneCallback done;
    private final Executor callbacks;
    private final @Nullable ContentWaits waits;
    private final ReceiveDeadline deadline = new ReceiveDeadline();
    // Once there is a tensor whose content is waited for.
    private volatile ContentWaits.@Nullable Wait wait;
    private volatile @Nullable TransportException tooLate;
    // Handed over by the executor.
    private @Nullable RecvResult ended;

    /// @param waits where it waits until the content is there; null if it does not
    LocalReceive(
            RendezvousKey key, TagTable table, DoneCallback done, Executor callbacks, @Nullable ContentWaits waits) {
        this.key = key;
        this.table = table;
        this.done = done;
        this.callbacks = callbacks;
        this.waits = waits;
    }

    void start(@Nullable Duration timeout, ReceiveTimer timer) {
        table.receive(key, this);
        if (timeout != null) {
            deadline.start(timer, timeout, () -> expire(RemoteReceive.deadlinePassed(key, timeout)));
        }
    }

    /// The table's answer.
    @Override
    public void done(RecvResult result) {
        ContentWaits.Wait begun =
                waits != null && result instanceof RecvResult.Received(Tensor tensor) && tensor.readyEvent() != null
                        ? waits.of(tensor, this::end)
                        : null;
        if (begun == null) {
            end(result);
            return;
        }
        wait = begun;
        begun.start();
        TransportException passed = tooLate;
        if (passed != null) {
            begun.giveUp(passed);
        }
    }

    private void end(RecvResult result) {
        deadline.end();
        ended = result;
        if (done instanceof RemoteReceive.Immediate) {
            run();
        } else {
            callbacks.execute(this);
        }
    }

    /// The user's callback.
    @Override
    public void run() {
        RecvResult result = ended;
        if (result == null) {
            throw new IllegalStateException("the receive of " + key + " has not ended");
        }
        RemoteReceive.runCallback(done, result, key);
    }

    @Override
    public boolean cancel() {
        return giveUp(new TransportException(StatusCode.CANCELLED, "the receive of " + key + " was cancelled"));
    }

    private boolean giveUp(TransportException cause) {
        if (table.remove(this)) {
            end(new RecvResult.Failed(cause));
            return true;
        }
        ContentWaits.Wait begun = wait;
        return begun != null && begun.giveUp(cause);
    }

    /// The deadline has passed, perhaps between the table's answer and the wait for the content.
    private void expire(TransportException cause) {
        tooLate = cause;
        giveUp(cause);
    }
}
