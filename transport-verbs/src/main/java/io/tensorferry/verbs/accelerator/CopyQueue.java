package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.CopyTask.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Copies between one accelerator and the host, and waits for events. Each direction has a separate stream, which
/// preserves the order in which one thread submits copies.
///
/// No stream ever waits for an event: an event of the application may be reached late or never, and would block the
/// copies behind it. This class polls events instead.
///
/// A failure of the accelerator is permanent: all pending and later tasks fail with the first cause. Whether a pending
/// copy still runs is then unknown.
///
/// Threading: any thread submits tasks; one thread at a time calls [#doWork()], a [CopyThread] or a simulation.
public final class CopyQueue {
    private static final Logger LOG = LoggerFactory.getLogger(CopyQueue.class);
    private static final int TASKS_PER_TURN = 256;
    private static final int EVENTS_PER_TURN = 64;

    private final Accelerator device;
    private final Executor tellers;
    private final CopyRunner runner;
    private final Way toHost;
    private final Way fromHost;
    private final MpscUnboundedVarHandleArrayQueue<CopyTask> given = new MpscUnboundedVarHandleArrayQueue<>(256);
    private final MpscUnboundedVarHandleArrayQueue<Tensor> released = new MpscUnboundedVarHandleArrayQueue<>(256);
    // Tasks submitted but not yet passed to `tellers`, and released tensors not yet closed.
    private final AtomicInteger tasks = new AtomicInteger();
    private volatile boolean closed;
    private volatile @Nullable TransportException broken;

    // Owned by the runner. In submission order.
    private final ArrayDeque<CopyTask> awaited = new ArrayDeque<>();
    private final ArrayDeque<CopyTask> flushing = new ArrayDeque<>();

    /// The copies of one direction.
    private static final class Way {
        private final DeviceStream stream;
        // In queueing order.
        private final ArrayDeque<CopyTask> copying = new ArrayDeque<>();
        private final LongAdder bytes = new LongAdder();

        private Way(DeviceStream stream) {
            this.stream = stream;
        }
    }

    /// @param tellers runs the completion callbacks of tasks
    /// @param runner started by the caller after construction
    /// @throws TransportException if the accelerator has no streams
    CopyQueue(Accelerator device, Executor tellers, CopyRunner runner) {
        this.device = device;
        this.tellers = tellers;
        this.runner = runner;
        this.toHost = new Way(device.openStream());
        try {
            this.fromHost = new Way(device.openStream());
        } catch (RuntimeException | Error e) {
            toHost.stream.close();
            throw e;
        }
    }

    /// Copies `target.byteSize()` bytes out of the accelerator's memory.
    ///
    /// @param target pinned memory
    public void toHost(long source, MemorySegment target, CopyTask task) {
        task.setCopy(Kind.TO_HOST, source, target);
        give(task);
    }

    /// Copies all of `source` into the accelerator's memory.
    ///
    /// @param source pinned memory
    public void fromHost(MemorySegment source, long target, CopyTask task) {
        task.setCopy(Kind.FROM_HOST, target, source);
        give(task);
    }

    /// Completes the task when an event is reached. The caller keeps the event.
    public void whenReached(DeviceEvent event, CopyTask task) {
        task.setEvent(event);
        give(task);
    }

    /// Completes the task when all writes of NICs to the accelerator's memory up to now are visible to the accelerator.
    ///
    /// Only for an accelerator with [io.tensorferry.api.NicWrites#AFTER_FLUSH]. A flush may take some time; one flush
    /// serves all tasks submitted meanwhile.
    public void whenWritten(CopyTask task) {
        task.setNicWrites();
        give(task);
    }

    /// Takes ownership of a tensor handle, and closes it on the copy thread, because the last close may call the
    /// driver.
    public void release(Tensor tensor) {
        tasks.incrementAndGet();
        if (closed) {
            // The queue has ended, so no loop depends on this thread.
            closeReleased(tensor);
            wakeIfOver();
            return;
        }
        released.offer(tensor);
        VarHandle.fullFence();
        runner.wake();
    }

    private void give(CopyTask task) {
        // Incremented before `closed` is read; `closed` is set before the count is last read.
        tasks.incrementAndGet();
        if (closed) {
            end(task, stopping(), false);
            wakeIfOver();
            return;
        }
        given.offer(task);
        // The task must be visible in the queue before the runner's sleep flag is read; the runner reads the queue
        // after it sets the flag.
        VarHandle.fullFence();
        runner.wake();
    }

    /// The runner may have gone to sleep because of a task that was counted but ended here, so wake it if the queue is
    /// over.
    private void wakeIfOver() {
        if (isOver()) {
            runner.wake();
        }
    }

    /// The cause with which every task fails; null while the accelerator works. Threading: any thread.
    public @Nullable TransportException broken() {
        return broken;
    }

    /// Whether a task has not completed or a released tensor is not closed. Threading: any thread. The result may be
    /// outdated when it is returned.
    public boolean isBusy() {
        return tasks.get() > 0;
    }

    long bytesToHost() {
        return toHost.bytes.sum();
    }

    long bytesFromHost() {
        return fromHost.bytes.sum();
    }

    /// Queues submitted tasks, and polls for completions.
    ///
    /// @return the number of tasks started or completed
    public int doWork() {
        int done = begin();
        done += endCopies(toHost);
        done += endCopies(fromHost);
        done += endAwaited();
        return done + closeReleased();
    }

    private int closeReleased() {
        int count = 0;
        for (Tensor tensor = released.poll(); tensor != null; tensor = released.poll()) {
            closeReleased(tensor);
            count++;
        }
        return count;
    }

    private void closeReleased(Tensor tensor) {
        try {
            tensor.close();
        } catch (RuntimeException | Error e) {
            LOG.warn("a tensor of {} could not be closed", device, e);
        }
        tasks.decrementAndGet();
    }

    private int begin() {
        int begun = 0;
        while (begun < TASKS_PER_TURN) {
            CopyTask task = given.poll();
            if (task == null) {
                break;
            }
            begun++;
            begin(task);
        }
        flush();
        return begun;
    }

    private void flush() {
        if (flushing.isEmpty()) {
            return;
        }
        TransportException cause = broken;
        if (cause == null) {
            try {
                device.flushNicWrites();
            } catch (RuntimeException | Error e) {
                cause = asFailure(e);
                endAll(flushing, cause, false);
                breakDown(cause);
                return;
            }
        }
        for (CopyTask task = flushing.poll(); task != null; task = flushing.poll()) {
            if (cause == null) {
                end(task);
            } else {
                end(task, cause, false);
            }
        }
    }

    private void begin(CopyTask task) {
        TransportException cause = broken;
        if (cause == null && closed) {
            cause = stopping();
        }
        if (cause != null) {
            end(task, cause, false);
            return;
        }
        switch (task.kind()) {
            case TO_HOST, FROM_HOST -> copy(task);
            case EVENT -> awaited.add(task);
            case NIC_WRITES -> flushing.add(task);
        }
    }

    private void copy(CopyTask task) {
        boolean queued = false;
        DeviceEvent told = null;
        try {
            Way way;
            if (task.kind() == Kind.TO_HOST) {
                way = toHost;
                way.stream.copyToHost(task.address(), task.host());
            } else {
                way = fromHost;
                way.stream.copyFromHost(task.host(), task.address());
            }
            queued = true;
            if (task.wantsToKnowWhenQueued()) {
                // A separate event, because the queue's event ends with the task.
                told = way.stream.record();
            }
            task.setQueued(way.stream.record());
            way.copying.add(task);
        } catch (RuntimeException | Error e) {
            if (told != null) {
                close(told);
            }
            TransportException cause = asFailure(e);
            end(task, cause, queued);
            if (queued || cause.code() != StatusCode.RESOURCE_EXHAUSTED) {
                breakDown(cause);
            }
            return;
        }
        if (told != null) {
            tellQueued(task, told);
        }
    }

    private void tellQueued(CopyTask task, DeviceEvent copied) {
        try {
            task.onQueued(copied);
        } catch (RuntimeException | Error e) {
            LOG.error("the callback for a queued copy to {} threw", device, e);
        }
    }

    private int endCopies(Way way) {
        int ended = 0;
        for (CopyTask task = way.copying.peek(); task != null; task = way.copying.peek()) {
            try {
                if (!task.event().isReached()) {
                    break;
                }
            } catch (RuntimeException | Error e) {
                breakDown(asFailure(e));
                return ended + 1;
            }
            way.copying.remove();
            close(task.event());
            way.bytes.add(task.host().byteSize());
            end(task);
            ended++;
        }
        return ended;
    }

    /// Checks a bounded number per call, because thousands may wait.
    private int endAwaited() {
        int ended = 0;
        for (int looks = Math.min(awaited.size(), EVENTS_PER_TURN); looks > 0 && !awaited.isEmpty(); looks--) {
            CopyTask task = awaited.remove();
            TransportException off = calledOff(task);
            if (off != null) {
                end(task, off, false);
                ended++;
                continue;
            }
            try {
                if (task.event().isReached()) {
                    end(task);
                    ended++;
                } else {
                    awaited.add(task);
                }
            } catch (RuntimeException | Error e) {
                TransportException cause = asFailure(e);
                end(task, cause, false);
                breakDown(cause);
                return ended + 1;
            }
        }
        return ended;
    }

    private @Nullable TransportException calledOff(CopyTask task) {
        if (closed) {
            return stopping();
        }
        return task.isCalledOff()
                ? new TransportException(StatusCode.CANCELLED, "the wait for the event was cancelled")
                : null;
    }

    private void breakDown(TransportException cause) {
        if (broken == null) {
            broken = cause;
            LOG.error(
                    "{} has failed: it no longer sends or receives tensors. Memory of its {} copies is not reused",
                    device,
                    toHost.copying.size() + fromHost.copying.size(),
                    cause);
        }
        endAll(toHost.copying, cause, true);
        endAll(fromHost.copying, cause, true);
        endAll(awaited, cause, false);
    }

    private void endAll(ArrayDeque<CopyTask> all, TransportException cause, boolean mayStillCopy) {
        for (CopyTask task = all.poll(); task != null; task = all.poll()) {
            if (mayStillCopy) {
                close(task.event());
            }
            end(task, cause, mayStillCopy);
        }
    }

    private void close(DeviceEvent event) {
        try {
            event.close();
        } catch (RuntimeException | Error e) {
            LOG.warn("an event of {} could not be closed", device, e);
        }
    }

    private void end(CopyTask task, TransportException cause, boolean mayStillCopy) {
        task.fail(cause, mayStillCopy);
        end(task);
    }

    private void end(CopyTask task) {
        tellers.execute(task);
        tasks.decrementAndGet();
    }

    private TransportException asFailure(Throwable e) {
        return e instanceof TransportException known
                ? known
                : new TransportException(StatusCode.INTERNAL, device + " has failed: " + e, e);
    }

    /// The failure of operations that still wait for the accelerator when the transport stops. Threading: any thread.
    TransportException stopping() {
        return new TransportException(StatusCode.ABORTED, "the transport to " + device + " is stopping");
    }

    /// Rejects new tasks and stops waiting for events; copies in progress continue. Threading: any thread.
    public void close() {
        closed = true;
        runner.wake();
    }

    /// Whether the queue is closed and has no task left.
    public boolean isOver() {
        return closed && tasks.get() == 0;
    }

    /// Whether a copy is in progress. For the runner.
    boolean isCopying() {
        return !toHost.copying.isEmpty() || !fromHost.copying.isEmpty();
    }

    /// Whether a task waits for an event. For the runner.
    public boolean isWaiting() {
        return !awaited.isEmpty();
    }

    /// Whether submitted tasks or released tensors are waiting. For the runner.
    boolean hasGiven() {
        return !given.isEmpty() || !released.isEmpty();
    }

    /// Destroys the streams, once [#isOver()].
    public void closeStreams() {
        for (Way way : List.of(toHost, fromHost)) {
            try {
                way.stream.close();
            } catch (RuntimeException | Error e) {
                LOG.warn("a stream of {} could not be closed", device, e);
            }
        }
    }
}
