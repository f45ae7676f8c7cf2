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
import io.tensorferry.api.thread.TransportThread;
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

/// The transport-independent part of a step's rendezvous: the local table, receives on the same worker, abort and
/// close.
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
    // Set once the step is to close as soon as no work is left.
    private final AtomicReference<@Nullable StepFinish> finish = new AtomicReference<>();

    /// Creates the rendezvous of a worker without accelerators.
    protected StepRendezvous(long stepId, WorkerContext worker) {
        this(stepId, worker, Accelerators.none(), TensorAllocator.unregistered());
    }

    /// @param hostMemory allocates the host memory that accelerator tensors are copied to; it may block
    protected StepRendezvous(long stepId, WorkerContext worker, Accelerators accelerators, TensorAllocator hostMemory) {
        this.stepId = stepId;
        this.worker = worker;
        this.accelerators = accelerators;
        this.moves = new ResultMove(accelerators, hostMemory);
        this.table = new TagTable(worker.limits());
        this.waits = new ContentWaits(moves, worker.callbacks(), uses::look);
    }

    /// Starts the transfer of one receive. Called once per receive on the caller's thread; must not block. Every
    /// failure goes to `receive.complete`.
    protected abstract void startRemote(RemoteReceive receive);

    /// Checks that a tensor that is on an accelerator, or has an accelerator event to wait for, can be sent to another
    /// worker. The default implementation refuses all such tensors.
    ///
    /// @throws RuntimeException with the reason and a remedy
    protected void checkLeaves(RendezvousKey key, Tensor tensor) {
        String what = tensor.device().hostAccessible() ? "waits for an event" : "is on " + tensor.device();
        throw new UnsupportedOperationException("the tensor of " + key + " " + what
                + ", and this protocol sends only tensors in host memory: copy it to the host"
                + " with a DeviceStream, and wait for the copy");
    }

    /// Called once when the step ends, on the thread that ends it, after the sends and receives in its table have
    /// failed.
    protected void onEnd(TransportException cause) {
        // The default has only the table to end.
    }

    @Override
    public final long stepId() {
        return stepId;
    }

    /// {@inheritDoc}
    ///
    /// @throws IllegalArgumentException if the consumer is on another worker, and the tensor is on an accelerator that
    ///     this worker's server was not given, or waits for an event and the server was given no accelerator
    /// @throws UnsupportedOperationException if the consumer is on another worker and this protocol does not send
    ///     accelerator tensors
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

    /// Receives with `options`. The allocator of `options` determines where the result is: in host memory or on one of
    /// this worker's accelerators. Without an allocator, the destination device of `key` determines it; a worker
    /// without accelerators treats every device name as the host. String tensors are always in host memory. If the
    /// allocator's memory is on an accelerator, they are in the transport's host memory.
    ///
    /// The allocator runs on this thread or on a transport thread and should not block. An exception of the allocator
    /// ends the receive: a [TransportException] is passed on unchanged, any other exception becomes `INTERNAL`. The
    /// content is written directly to the allocator's memory if that memory is registered with the RDMA device;
    /// otherwise it is copied there after it has landed. Content for an accelerator goes through pinned host memory as
    /// large as the tensor. Receives wait in order for pinned memory; a tensor larger than all pinned memory ends with
    /// `RESOURCE_EXHAUSTED`. After an accelerator failure, receives end with `INTERNAL` and the driver's error. Over a
    /// fallback, the content arrives in host memory and is copied to the accelerator from there.
    ///
    /// A tensor of this worker that is already on the requested device is handed over without a copy: it stays in the
    /// producer's memory, and the allocator is not used. With `COMPLETE` this happens once its content is complete. A
    /// tensor on another device is copied if both devices belong to this worker; the result is then always complete.
    ///
    /// @throws IllegalArgumentException also if this worker has accelerators, but not the one that the allocator or
    ///     `key` names
    /// @throws UnsupportedOperationException if the allocator's memory is not host memory and this worker has no
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

    /// Returns the device of the result; null for the host.
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

    /// Begins a use of the step, which may hold a tensor outside the step's tables. Called before the tensor is taken
    /// out of a table.
    public final void beginUse() {
        uses.begin();
    }

    public final void endUse() {
        uses.end();
    }

    /// Refuses further sends, and closes the step once every send has been taken by its receiver and all receives of
    /// this worker have ended.
    ///
    /// @param leave removes the step from the table of steps; the second and later calls do nothing
    /// @return completes on the thread that closes the step; fails with the cause if the step has ended before
    final CompletableFuture<Void> finish(Runnable leave) {
        var begun = new StepFinish(closed(), leave);
        StepFinish first = finish.compareAndExchange(null, begun);
        if (first != null) {
            return first.done();
        }
        uses.watch(this::endIfFinished);
        table.finish(new TransportException(
                StatusCode.ABORTED,
                "step " + stepId + " is finished: " + worker.name() + " sends no more tensors in it"));
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

    /// Returns whether a step that takes no more sends has no work left. The order matters: a use is counted before a
    /// send is removed from the table.
    private boolean isIdle() {
        return table.isFinished() && uses.count() == 0 && waits.isEmpty() && pending.isEmpty();
    }

    /// Describes the work that keeps a finishing step open.
    final TransportException notFinished(Duration timeout) {
        String key = table.anyWaitingSend();
        return new TransportException(
                StatusCode.DEADLINE_EXCEEDED,
                "step " + stepId + " was not finished within " + timeout + " and is closed: " + table.waitingSends()
                        + " unclaimed sends" + (key == null ? "" : ", such as " + key) + ", "
                        + uses.count()
                        + " tensors in flight, " + pending.size() + " pending receives of " + worker.name());
    }

    /// The timer for the receives and the end of the step.
    final ReceiveTimer timer() {
        return worker.timer();
    }

    private TransportException closed() {
        return new TransportException(StatusCode.ABORTED, "step " + stepId + " is closed");
    }

    /// Closes the step; returns the number of unclaimed sends that were dropped.
    final int close() {
        return end(closed());
    }

    /// Closes a finishing step because `timeout` has passed.
    ///
    /// @param dropped receives the number of unclaimed sends, before the finish future completes
    final void expire(Duration timeout, IntConsumer dropped) {
        StepFinish finishing = finish.get();
        if (finishing != null) {
            TransportException why = notFinished(timeout);
            finishing.beginLate();
            dropped.accept(close());
            finishing.onLate(why);
        }
    }

    /// Closes the step because this worker is stopping; returns the number of unclaimed sends that were dropped.
    final int stop() {
        return end(new TransportException(
                StatusCode.ABORTED, "step " + stepId + " is closed: " + worker.name() + " is stopping"));
    }

    private int end(TransportException cause) {
        int dropped = ended.compareAndSet(null, cause) ? endParts(cause) : 0;
        StepFinish finishing = finish.get();
        if (finishing != null) {
            // Another thread may have ended the step first, with another cause.
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

    /// The cause that the step ended with; null while it is open.
    public final @Nullable TransportException ending() {
        return ended.get();
    }

    /// The waits for tensors of the step whose content is pending or on another device than requested.
    final ContentWaits waits() {
        return waits;
    }

    /// The table of this worker's sends, and of the receives that wait for them; the serving end of a transport uses
    /// it.
    public final TagTable table() {
        return table;
    }

    /// Describes the waiting sends and receives, with an example key of each: keys that fail to match often differ by
    /// one letter.
    @Override
    public String toString() {
        String send = table.anyWaitingSend();
        RendezvousKey receive = pending.oldest();
        TransportException cause = ended.get();
        return "step " + stepId + " of " + worker.name() + ": " + table.waitingSends()
                + " unclaimed sends" + (send == null ? "" : ", such as " + send) + "; "
                + pending.size() + " pending receives from other workers"
                + (receive == null ? "" : ", such as " + receive)
                + (cause == null ? "" : "; ended with " + cause.getMessage());
    }
}
