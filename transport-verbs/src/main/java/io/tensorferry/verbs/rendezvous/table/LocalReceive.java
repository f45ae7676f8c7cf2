package io.tensorferry.verbs.rendezvous.table;

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
import io.tensorferry.verbs.rendezvous.ContentWaits;
import io.tensorferry.verbs.rendezvous.ReceiveDeadline;
import io.tensorferry.verbs.rendezvous.ReceiveTimer;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A receive of a tensor produced on the same worker.
///
/// It waits in the table and takes the producer's own handle, so no memory is allocated. With complete delivery it
/// waits for pending content. A tensor on another device than the requested one is copied there first.
///
/// Threading: any thread. The first of tensor, failure, cancellation and abort completes the receive; later events have
/// no effect.
final class LocalReceive extends TagTable.Waiter implements PendingReceive, Runnable {
    private final RendezvousKey key;
    private final TagTable table;
    private final DoneCallback done;
    private final ReceiveOptions options;
    private final @Nullable AcceleratorUnit accelerator;
    private final Executor callbacks;
    private final ContentWaits waits;
    private final ReceiveDeadline deadline = new ReceiveDeadline();
    private final ContentWaits.Place wait = new ContentWaits.Place();
    private final AtomicBoolean over = new AtomicBoolean();
    // Holds the result until the callback takes it: a user's executor may run this more than once.
    private final AtomicReference<@Nullable RecvResult> ended = new AtomicReference<>();

    /// @param accelerator the device of the result; null for the host
    /// @param waits where the receive waits until the content is complete
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
            deadline.start(timer, timeout, () -> giveUp(RemoteReceive.deadlinePassed(key, timeout, null)));
        }
    }

    /// Accepts the table's result. The receive may have been given up since the table decided.
    @Override
    public void done(RecvResult result) {
        boolean complete = options.delivery() == Delivery.COMPLETE;
        if (!(result instanceof RecvResult.Received(Tensor tensor)) || !waits.isFor(tensor, complete, accelerator)) {
            end(result);
            return;
        }
        wait.begin(waits.of(tensor, options, accelerator, key.source().worker(), this::end));
    }

    private boolean end(RecvResult result) {
        if (!over.compareAndSet(false, true)) {
            if (result instanceof RecvResult.Received(Tensor tensor)) {
                waits.close(tensor);
            }
            return false;
        }
        deadline.end();
        ended.set(result);
        if (done instanceof RemoteReceive.Immediate) {
            run();
        } else {
            callbacks.execute(this);
        }
        return true;
    }

    /// Runs the user's callback.
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
        table.remove(this);
        ContentWaits.Wait begun = wait.refuse(cause);
        return begun == null ? end(new RecvResult.Failed(cause)) : begun.giveUp(cause);
    }
}
