package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.DataVerbs;
import io.tensorferry.bindings.ErrnoVerbs;
import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.bindings.ibverbs.ibv_context;
import io.tensorferry.bindings.ibverbs.ibv_context_ops;
import io.tensorferry.bindings.ibverbs.ibv_cq;
import io.tensorferry.bindings.ibverbs.ibv_wc;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkCompletionHandler;
import io.tensorferry.verbs.device.ibverbs.post.WorkTag;
import io.tensorferry.verbs.device.support.OpenChildren;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An `ibv_cq`.
///
/// Polls completions in batches into a private buffer and delivers them one by one. A completion is delivered only if
/// its queue pair still exists at that moment, because a handler may close any queue pair.
///
/// Threading: one thread polls and closes; [#fail()] runs on the thread of asynchronous events.
final class IbverbsCompletionQueue implements CompletionQueue {
    private static final Logger LOG = LoggerFactory.getLogger(IbverbsCompletionQueue.class);
    private static final int BATCH = 32;

    private final IbverbsDevice device;
    private final @Nullable IbverbsCompletionChannel channel;
    private final MemorySegment queue;
    private final MemorySegment pollFunction;
    private final MemorySegment notifyFunction;
    private final int capacity;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment[] entries = new MemorySegment[BATCH];
    /// The first entry as a zero-length segment, which is cheaper to pass to native code than arena memory.
    private final MemorySegment batch;
    private final IbverbsWorkCompletion cursor = new IbverbsWorkCompletion();
    private final QueuePairTable queuePairs = new QueuePairTable();
    private final OpenChildren uses = new OpenChildren("completion queue");
    private int batchSize;
    private int batchPosition;
    private volatile boolean failed;
    private volatile boolean closed;

    private IbverbsCompletionQueue(
            IbverbsDevice device, MemorySegment queue, @Nullable IbverbsCompletionChannel channel) {
        this.device = device;
        this.queue = queue;
        this.channel = channel;
        this.capacity = ibv_cq.cqe(queue);
        MemorySegment ops = ibv_context.ops(device.context());
        pollFunction = ibv_context_ops.poll_cq(ops);
        notifyFunction = ibv_context_ops.req_notify_cq(ops);
        MemorySegment memory = ibv_wc.allocateArray(BATCH, arena);
        batch = MemorySegment.ofAddress(memory.address());
        for (int i = 0; i < BATCH; i++) {
            entries[i] = ibv_wc.asSlice(memory, i);
        }
        device.events().watch(queue.address(), this);
    }

    static IbverbsCompletionQueue create(
            IbverbsDevice device, int minimumEntries, @Nullable IbverbsCompletionChannel channel, int vector) {
        String verb = "ibv_create_cq";
        OpenChildren[] parents = channel == null
                ? new OpenChildren[] {device.children()}
                : new OpenChildren[] {device.children(), channel.queues()};
        OpenChildren.add(verb, parents);
        try (var call = new NativeCall()) {
            MemorySegment pointer = VerbsCheck.pointerOrErrno(
                    verb,
                    ErrnoVerbs.createCq(
                            call,
                            device.context(),
                            minimumEntries,
                            channel == null ? MemorySegment.NULL : channel.pointer(),
                            vector),
                    call,
                    () -> "a completion queue of " + minimumEntries + " entries on " + device.name());
            return new IbverbsCompletionQueue(device, pointer, channel);
        } catch (RuntimeException e) {
            for (OpenChildren parent : parents) {
                parent.remove();
            }
            throw e;
        }
    }

    @Override
    public int poll(int maximum, WorkCompletionHandler handler) {
        int count = 0;
        while (count < maximum && handler.wantsMore() && next(maximum - count)) {
            handler.onCompletion(cursor);
            count++;
        }
        return count;
    }

    /// Moves the cursor to the next completion whose queue pair still exists.
    private boolean next(int wanted) {
        while (true) {
            if (failed) {
                throw new VerbsException(
                        "ibv_poll_cq",
                        VerbsException.EIO,
                        "the completion queue of " + capacity + " entries has failed (overrun)");
            }
            if (batchPosition == batchSize && !fetch(wanted)) {
                return false;
            }
            MemorySegment entry = entries[batchPosition++];
            long tag = ibv_wc.wr_id(entry);
            IbverbsQueuePair owner = queuePairs.find(WorkTag.owner(tag));
            if (owner != null) {
                owner.completed(tag, entry, cursor);
                return true;
            }
        }
    }

    private boolean fetch(int wanted) {
        if (closed) {
            throw new VerbsException("ibv_poll_cq", VerbsException.EINVAL, "the completion queue is closed");
        }
        batchPosition = 0;
        // Reset first, so that a failing call does not deliver the last batch again.
        batchSize = 0;
        int taken = DataVerbs.pollCq(pollFunction, queue, Math.min(wanted, BATCH), batch);
        if (taken < 0) {
            throw new VerbsException("ibv_poll_cq", VerbsException.EIO, "a completion queue of " + device.name());
        }
        batchSize = taken;
        return taken > 0;
    }

    @Override
    public void requestNotification() {
        int result = DataVerbs.reqNotifyCq(notifyFunction, queue, 0);
        if (result != 0) {
            throw new VerbsException("ibv_req_notify_cq", result, "a completion queue of " + device.name());
        }
        if ((failed || batchPosition < batchSize) && channel != null) {
            channel.wakeUp();
        }
    }

    @Override
    public int capacity() {
        return capacity;
    }

    /// Handles an overrun: the device has lost completions, so the state of its queue pairs is unknown and they are
    /// stopped.
    void fail() {
        failed = true;
        for (IbverbsQueuePair queuePair : queuePairs.all()) {
            try {
                queuePair.enterError();
            } catch (VerbsException e) {
                LOG.warn("a queue pair of a completion queue that has failed was not stopped", e);
            }
        }
        if (channel != null) {
            channel.wakeUp();
        }
    }

    MemorySegment pointer() {
        return queue;
    }

    QueuePairTable queuePairs() {
        return queuePairs;
    }

    /// Counts the work queues that use this completion queue.
    OpenChildren uses() {
        return uses;
    }

    boolean belongsTo(IbverbsDevice other) {
        return device == other;
    }

    @Override
    public void close() {
        String verb = "ibv_destroy_cq";
        if (uses.close(verb)) {
            closed = true;
            device.events().unwatch(queue.address());
            int result = Ibverbs.ibv_destroy_cq(queue);
            if (channel != null) {
                channel.queues().remove();
            }
            device.children().remove();
            VerbsCheck.returnedErrno(verb, result, () -> "a completion queue of " + device.name());
            arena.close();
        }
    }
}
