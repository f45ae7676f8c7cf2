package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.api.Device;
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
import io.tensorferry.api.TransportThread;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.rendezvous.BlockingReceive;
import io.tensorferry.verbs.rendezvous.ContentWaits;
import io.tensorferry.verbs.rendezvous.PendingReceives;
import io.tensorferry.verbs.rendezvous.ReceiveTimer;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.ResultMove;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// What every rendezvous of a step does, whatever carries its tensors: the local table, receives on the same
/// worker, abort, close.
///
/// Threading: any thread.
public abstract class StepRendezvous implements Rendezvous {
    private final long stepId;
    private final WorkerContext worker;
    private final TagTable table;
    private final Accelerators accelerators;
    private final StepUses uses = new StepUses();
    private final PendingReceives pending = new PendingReceives(uses::look);
    private final ResultMove moves;
    private final ContentWaits waits;
    private final AtomicReference<@Nullable TransportException> ended = new AtomicReference<>();
    // Once the step is to end as soon as nothing is left to be done in it.
    private final AtomicReference<@Nullable StepFinish> finish = new AtomicReference<>();

    /// Of a worker without accelerators.
    protected StepRendezvous(long stepId, WorkerContext worker) {
        this(stepId, worker, Accelerators.none(), TensorAllocator.unregistered());
    }

    /// @param hostMemory where tensors of accelerators become tensors in host memory; it may wait
    protected StepRendezvous(long stepId, WorkerContext worker, Accelerators accelerators, TensorAllocator hostMemory) {
        this.stepId = stepId;
        this.worker = worker;
        this.accelerators = accelerators;
        this.moves = new ResultMove(accelerators, hostMemory);
        this.table = new TagTable(worker.limits());
        this.waits = new ContentWaits(moves, worker.callbacks(), uses::look);
    }

    /// Starts the transfer of one receive. Called once for each, on the caller's thread; must not block. Every
    /// failure goes to `receive.complete`.
    protected abstract void startRemote(RemoteReceive receive);

    /// Checks that a tensor can be sent to another worker which is on an accelerator, or has an event of one to wait
    /// for. Nothing of that kind can where this is not overridden.
    ///
    /// @throws RuntimeException saying why not, and what could be done
    protected void checkLeaves(RendezvousKey key, Tensor tensor) {
        String what = tensor.device().hostAccessible() ? "waits for an event" : "is on " + tensor.device();
        throw new UnsupportedOperationException("the tensor of " + key + " " + what
                + ", and only tensors that are in host memory leave their worker by this protocol: copy it to the host"
                + " with a DeviceStream, and wait for that");
    }

    /// The step ends, once; what is parked in its table has failed. On the thread that ends it.
    protected void onEnd(TransportException cause) {
        // Nothing but the table knows of it.
    }

    @Override
    public final long stepId() {
        return stepId;
    }

    /// {@inheritDoc}
    ///
    /// @throws IllegalArgumentException if the consumer is on another worker, and the tensor on an accelerator that
    ///     this worker's server was not given, or waits for one and the server was given none
    /// @throws UnsupportedOperationException if the consumer is on another worker, and nothing of accelerators leaves
    ///     this one by this protocol
    @Override
    public final void send(RendezvousKey key, Tensor tensor) {
        boolean ofAccelerator = !tensor.device().hostAccessible() || tensor.readyEvent() != null;
        if (ofAccelerator && !key.destination().worker().equals(worker.name())) {
            checkLeaves(key, tensor);
        }
        put(key, new RecvResult.Received(tensor));
    }

    @Override
    public final void sendDead(RendezvousKey key) {
        put(key, new RecvResult.Dead());
    }

    private void put(RendezvousKey key, RecvResult item) {
        if (!key.source().worker().equals(worker.name())) {
            throw new IllegalArgumentException("the producer of " + key + " is not on this worker, " + worker.name());
        }
        String consumer = key.destination().worker();
        if (!worker.isMember(consumer)) {
            throw new IllegalArgumentException(
                    "the consumer of " + key + " is on " + consumer + ", which is not in the cluster");
        }
        beginUse();
        try {
            table.send(key, item);
        } finally {
            endUse();
        }
    }

    @Override
    public final PendingReceive recvAsync(RendezvousKey key, DoneCallback done) {
        return receive(key, null, ReceiveOptions.defaults(), done);
    }

    @Override
    public final PendingReceive recvAsync(RendezvousKey key, Duration timeout, DoneCallback done) {
        return receive(key, timeout, ReceiveOptions.defaults(), done);
    }

    /// The result is where the allocator of `options` makes it: in host memory, or on one of this worker's
    /// accelerators. Where they have none it is where the destination of `key` says, on the accelerator of that name; a
    /// worker without accelerators takes each name for the host's. Strings are in host memory in any case, in the
    /// transport's if the result was to be elsewhere.
    ///
    /// The allocator is called on this thread or on one of the transport's, and should not wait. What it throws ends
    /// the receive: a [TransportException] as it is, anything else as `INTERNAL`. Into its memory the content is
    /// written where the transport's device knows that memory, and otherwise copied when it has landed. To an
    /// accelerator it goes by pinned host memory as large as the tensor: receives wait for that in their order, and
    /// one that is larger than all there is ends with `RESOURCE_EXHAUSTED`. Where the accelerator has failed they end
    /// with what its driver said, `INTERNAL`. Over a fallback the content comes to host memory, and is copied to the
    /// accelerator from there.
    ///
    /// A tensor of this worker that is on the device where the result is to be is handed over as it is: it stays in the
    /// producer's memory, whatever the allocator. With `COMPLETE` that is done when its content is there. A
    /// tensor of another device is copied, if both are this worker's; then the result is complete in any case.
    ///
    /// @throws IllegalArgumentException also if this worker has accelerators, but not the one that the allocator or
    ///     `key` names
    /// @throws UnsupportedOperationException if the allocator's memory is not the host's, and this worker has no
    ///     accelerators
    @Override
    public final PendingReceive recvAsync(RendezvousKey key, ReceiveOptions options, DoneCallback done) {
        return receive(key, options.timeout(), options, done);
    }

    @Override
    public final RecvResult recv(RendezvousKey key, Duration timeout) throws InterruptedException {
        TransportThread.refuseToWait("recv", "call recvAsync");
        var waiter = new BlockingReceive();
        return waiter.await(
                receive(key, null, ReceiveOptions.defaults(), waiter), key, timeout, () -> worker.obstacle(key));
    }

    private PendingReceive receive(
            RendezvousKey key, @Nullable Duration timeout, ReceiveOptions options, DoneCallback done) {
        if (!key.destination().worker().equals(worker.name())) {
            throw new IllegalArgumentException("the consumer of " + key + " is not on this worker, " + worker.name());
        }
        AcceleratorUnit accelerator = accelerator(key, options.allocator());
        String producer = key.source().worker();
        return producer.equals(worker.name())
                ? receiveLocally(key, timeout, options, accelerator, done)
                : receiveRemotely(key, producer, timeout, options, accelerator, done);
    }

    /// Where the result is to be; null for the host.
    private @Nullable AcceleratorUnit accelerator(RendezvousKey key, @Nullable TensorAllocator allocator) {
        if (allocator == null) {
            return accelerators.named(key.destination());
        }
        Device device = allocator.device();
        if (device.hostAccessible()) {
            return null;
        }
        AcceleratorUnit unit = accelerators.of(device);
        if (unit != null) {
            return unit;
        }
        String refusal = "the result of " + key + " cannot be on " + device;
        if (accelerators.isEmpty()) {
            throw new UnsupportedOperationException(refusal + ", only in host memory");
        }
        throw new IllegalArgumentException(refusal + ": " + worker.name() + " has " + accelerators);
    }

    private PendingReceive receiveLocally(
            RendezvousKey key,
            @Nullable Duration timeout,
            ReceiveOptions options,
            @Nullable AcceleratorUnit accelerator,
            DoneCallback done) {
        var receive = new LocalReceive(key, table, done, options, accelerator, worker.callbacks(), waits);
        beginUse();
        try {
            receive.start(timeout, worker.timer());
        } finally {
            endUse();
        }
        return receive;
    }

    private PendingReceive receiveRemotely(
            RendezvousKey key,
            String producer,
            @Nullable Duration timeout,
            ReceiveOptions options,
            @Nullable AcceleratorUnit accelerator,
            DoneCallback done) {
        if (!worker.isMember(producer)) {
            throw new IllegalArgumentException(
                    "the producer of " + key + " is on " + producer + ", which is not in the cluster");
        }
        var receive = new RemoteReceive(
                stepId, key, producer, options, accelerator, moves, done, worker.callbacks(), pending);
        pending.add(receive);
        TransportException cause = ended.get();
        if (cause != null) {
            receive.giveUp(cause);
        } else {
            if (timeout != null) {
                receive.limit(timeout, worker);
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

    /// Something may hold a tensor of the step that stands in no table; before it takes it out of one.
    public final void beginUse() {
        uses.begin();
    }

    public final void endUse() {
        uses.end();
    }

    /// Takes no more sends, and closes the step when all that were sent are with whoever asked for them and all
    /// receives of this worker have ended.
    ///
    /// @param leave takes the step out of the table of steps; the second and later calls do nothing
    /// @return completes on whatever thread closes the step; fails with why it has ended before
    final CompletableFuture<Void> finish(Runnable leave) {
        var begun = new StepFinish(closed(), leave);
        StepFinish first = finish.compareAndExchange(null, begun);
        if (first != null) {
            return first.done();
        }
        uses.watch(this::endIfFinished);
        table.finish(new TransportException(
                StatusCode.ABORTED,
                "step " + stepId + " is finished: " + worker.name() + " sends nothing in it any more"));
        TransportException cause = ended.get();
        if (cause != null) {
            begun.onEnded(cause);
        } else {
            endIfFinished();
        }
        return begun.done();
    }

    private void endIfFinished() {
        StepFinish finishing = finish.get();
        if (finishing == null || ended.get() != null || !isIdle()) {
            return;
        }
        finishing.leaveTable();
        int _ = end(finishing.closed());
    }

    /// Of a step that takes no more sends. In this order: whoever takes a send counts as a use before.
    private boolean isIdle() {
        return table.isFinished() && uses.count() == 0 && waits.isEmpty() && pending.isEmpty();
    }

    /// What keeps a step from its end that is being finished.
    final TransportException notFinished(Duration timeout) {
        String key = table.anyWaitingSend();
        return new TransportException(
                StatusCode.DEADLINE_EXCEEDED,
                "step " + stepId + " was not finished within " + timeout + " and is closed: " + table.waitingSends()
                        + " sends that nobody has asked for" + (key == null ? "" : ", such as " + key) + ", "
                        + uses.count()
                        + " tensors on their way to others, " + pending.size() + " receives of " + worker.name());
    }

    /// Keeps time for the receives of the step, and for its end.
    final ReceiveTimer timer() {
        return worker.timer();
    }

    private TransportException closed() {
        return new TransportException(StatusCode.ABORTED, "step " + stepId + " is closed");
    }

    /// Ends the step for good; returns how many sends nobody had asked for.
    final int close() {
        return end(closed());
    }

    /// The same, because `timeout` has passed since it was to be finished.
    ///
    /// @param dropped is told how many sends nobody had asked for, before whoever waits for the end
    final void expire(Duration timeout, IntConsumer dropped) {
        StepFinish finishing = finish.get();
        if (finishing != null) {
            TransportException why = notFinished(timeout);
            finishing.beginLate();
            dropped.accept(close());
            finishing.onLate(why);
        }
    }

    /// The same with all the others of this worker.
    final int stop() {
        return end(new TransportException(
                StatusCode.ABORTED, "step " + stepId + " is closed: " + worker.name() + " is stopping"));
    }

    private int end(TransportException cause) {
        int dropped = ended.compareAndSet(null, cause) ? endParts(cause) : 0;
        StepFinish finishing = finish.get();
        if (finishing != null) {
            // Perhaps not this cause, if another thread was faster.
            finishing.onEnded(Objects.requireNonNull(ended.get(), "ended above"));
        }
        return dropped;
    }

    private int endParts(TransportException cause) {
        int dropped = table.abort(cause);
        waits.abort(cause);
        for (RemoteReceive receive : pending.all()) {
            receive.giveUp(cause);
        }
        onEnd(cause);
        return dropped;
    }

    /// Why the step has ended; null while it has not.
    public final @Nullable TransportException ending() {
        return ended.get();
    }

    /// Where tensors of the step are waited for that are not there yet, or not where they are wanted.
    final ContentWaits waits() {
        return waits;
    }

    /// The sends of this worker that wait to be asked for, and the receives that wait for a send of this worker:
    /// where the serving end of a transport looks.
    public final TagTable table() {
        return table;
    }

    /// What waits in it, with a key of each kind: where two ends do not meet, the two often differ by a letter.
    @Override
    public String toString() {
        String send = table.anyWaitingSend();
        RendezvousKey receive = pending.oldest();
        TransportException cause = ended.get();
        return "step " + stepId + " of " + worker.name() + ": " + table.waitingSends()
                + " sends that nobody has asked for" + (send == null ? "" : ", such as " + send) + "; "
                + pending.size() + " receives from others that wait" + (receive == null ? "" : ", such as " + receive)
                + (cause == null ? "" : "; ended with " + cause.getMessage());
    }
}
