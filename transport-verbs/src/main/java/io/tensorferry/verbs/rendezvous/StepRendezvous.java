package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// What every rendezvous of a step does, whatever carries its tensors: the local table, receives on the same
/// worker, abort, close.
///
/// Threading: any thread.
public abstract class StepRendezvous implements Rendezvous {
    private final long stepId;
    private final WorkerContext worker;
    private final TagTable table;
    private final PendingReceives pending = new PendingReceives();
    private final AtomicReference<@Nullable TransportException> ended = new AtomicReference<>();

    protected StepRendezvous(long stepId, WorkerContext worker) {
        this.stepId = stepId;
        this.worker = worker;
        this.table = new TagTable(worker.limits());
    }

    /// Starts the transfer of one receive. Called once for each, on the caller's thread; must not block. Every
    /// failure goes to `receive.complete`.
    protected abstract void startRemote(RemoteReceive receive);

    @Override
    public final long stepId() {
        return stepId;
    }

    /// {@inheritDoc}
    ///
    /// @throws UnsupportedOperationException if the tensor is on an accelerator, and the consumer on another worker
    @Override
    public final void send(RendezvousKey key, Tensor tensor) {
        if (!tensor.device().hostAccessible() && !key.destination().worker().equals(worker.name())) {
            tensor.close();
            throw new UnsupportedOperationException("the tensor of " + key + " is on " + tensor.device()
                    + ", and only tensors in host memory leave their worker: copy it to the host with a DeviceStream");
        }
        put(key, new RecvResult.Received(tensor));
    }

    @Override
    public final void sendDead(RendezvousKey key) {
        put(key, new RecvResult.Dead());
    }

    private void put(RendezvousKey key, RecvResult item) {
        if (!key.source().worker().equals(worker.name())) {
            if (item instanceof RecvResult.Received(Tensor tensor)) {
                tensor.close();
            }
            throw new IllegalArgumentException("the producer of " + key + " is not on this worker, " + worker.name());
        }
        table.send(key, item);
    }

    @Override
    public final PendingReceive recvAsync(RendezvousKey key, DoneCallback done) {
        return receive(key, null, ReceiveOptions.defaults(), done);
    }

    @Override
    public final PendingReceive recvAsync(RendezvousKey key, Duration timeout, DoneCallback done) {
        return receive(key, timeout, ReceiveOptions.defaults(), done);
    }

    /// The same, for results in host memory, which are complete with either [ReceiveOptions#delivery()].
    ///
    /// The allocator of `options` is called on this thread or on one of the transport's, and should not wait. What it
    /// throws ends the receive: a [TransportException] as it is, anything else as `INTERNAL`. Into its memory the
    /// content is written where the transport's device knows that memory, and otherwise copied when it has landed. A
    /// tensor of this worker is handed over as it is: it stays in the producer's memory, whatever the allocator.
    ///
    /// @throws UnsupportedOperationException if the allocator's memory is not the host's
    @Override
    public final PendingReceive recvAsync(RendezvousKey key, ReceiveOptions options, DoneCallback done) {
        TensorAllocator allocator = options.allocator();
        if (allocator != null && !allocator.device().hostAccessible()) {
            throw new UnsupportedOperationException(
                    "the result of " + key + " cannot be on " + allocator.device() + ", only in host memory");
        }
        return receive(key, options.timeout(), options, done);
    }

    @Override
    public final RecvResult recv(RendezvousKey key, Duration timeout) throws InterruptedException {
        var waiter = new BlockingReceive();
        return waiter.await(receive(key, null, ReceiveOptions.defaults(), waiter), key, timeout);
    }

    private PendingReceive receive(
            RendezvousKey key, @Nullable Duration timeout, ReceiveOptions options, DoneCallback done) {
        if (!key.destination().worker().equals(worker.name())) {
            throw new IllegalArgumentException("the consumer of " + key + " is not on this worker, " + worker.name());
        }
        String producer = key.source().worker();
        return producer.equals(worker.name())
                ? receiveLocally(key, timeout, done)
                : receiveRemotely(key, producer, timeout, options, done);
    }

    private PendingReceive receiveLocally(RendezvousKey key, @Nullable Duration timeout, DoneCallback done) {
        var receive = new LocalReceive(key, table, done, worker.callbacks());
        receive.start(timeout, worker.timer());
        return receive;
    }

    private PendingReceive receiveRemotely(
            RendezvousKey key, String producer, @Nullable Duration timeout, ReceiveOptions options, DoneCallback done) {
        if (!worker.isMember(producer)) {
            throw new IllegalArgumentException(
                    "the producer of " + key + " is on " + producer + ", which is not in the cluster");
        }
        var receive = new RemoteReceive(stepId, key, producer, options, done, worker.callbacks(), pending);
        pending.add(receive);
        TransportException cause = ended.get();
        if (cause != null) {
            receive.giveUp(cause);
        } else {
            if (timeout != null) {
                receive.limit(timeout, worker.timer());
            }
            startRemote(receive);
        }
        return receive;
    }

    @Override
    public final void startAbort(StatusCode code, String message) {
        if (code == StatusCode.OK) {
            throw new IllegalArgumentException("a step cannot be aborted with OK");
        }
        end(new TransportException(code, message));
    }

    /// Ends the step for good; returns how many sends nobody had asked for.
    final int close() {
        return end(new TransportException(StatusCode.ABORTED, "step " + stepId + " is closed"));
    }

    private int end(TransportException cause) {
        if (!ended.compareAndSet(null, cause)) {
            return 0;
        }
        int dropped = table.abort(cause);
        for (RemoteReceive receive : pending.all()) {
            receive.giveUp(cause);
        }
        return dropped;
    }

    /// The sends of this worker that wait to be asked for, and the receives that wait for a send of this worker:
    /// where the serving end of a transport looks.
    public final TagTable table() {
        return table;
    }
}
