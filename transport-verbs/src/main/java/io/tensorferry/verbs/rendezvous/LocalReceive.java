package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.Delivery;
import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// One receive of a tensor that is produced on the same worker: waits in the table and gets the producer's own handle,
/// so that no memory is made for it; where that one's content is still to come, and the user wants it, it waits for it.
/// A tensor that is on another device than it is wanted on becomes one there first.
///
/// Threading: any thread. It ends when the table calls it, or when it is taken out of the table.
final class LocalReceive extends TagTable.Waiter implements PendingReceive, Runnable {
    private final RendezvousKey key;
    private final TagTable table;
    private final DoneCallback done;
    private final ReceiveOptions options;
    private final @Nullable AcceleratorUnit accelerator;
    private final Executor callbacks;
    private final ContentWaits waits;
    private final ReceiveDeadline deadline = new ReceiveDeadline();
    // Once there is a tensor whose content is waited for.
    private volatile ContentWaits.@Nullable Wait wait;
    private volatile @Nullable TransportException tooLate;
    // Until the callback takes it: an executor of the user's may run this more than once.
    private final AtomicReference<@Nullable RecvResult> ended = new AtomicReference<>();

    /// @param accelerator where the result is to be; null for the host
    /// @param waits where it waits until the content is there
    LocalReceive(
            RendezvousKey key,
            TagTable table,
            DoneCallback done,
            ReceiveOptions options,
            @Nullable AcceleratorUnit accelerator,
            Executor callbacks,
            ContentWaits waits) {
        this.key = key;
        this.table = table;
        this.done = done;
        this.options = options;
        this.accelerator = accelerator;
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
        boolean complete = options.delivery() == Delivery.COMPLETE;
        if (!(result instanceof RecvResult.Received(Tensor tensor)) || !waits.isFor(tensor, complete, accelerator)) {
            end(result);
            return;
        }
        ContentWaits.Wait begun =
                waits.of(tensor, options, accelerator, key.source().worker(), this::end);
        wait = begun;
        begun.start();
        TransportException passed = tooLate;
        if (passed != null) {
            begun.giveUp(passed);
        }
    }

    private void end(RecvResult result) {
        deadline.end();
        ended.set(result);
        if (done instanceof RemoteReceive.Immediate) {
            run();
        } else {
            callbacks.execute(this);
        }
    }

    /// The user's callback.
    @Override
    public void run() {
        RecvResult result = ended.getAndSet(null);
        if (result != null) {
            RemoteReceive.runCallback(done, result, key);
        }
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
