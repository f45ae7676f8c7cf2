package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.DataVerbs;
import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.bindings.ibverbs.ibv_context;
import io.tensorferry.bindings.ibverbs.ibv_context_ops;
import io.tensorferry.bindings.ibverbs.ibv_qp;
import io.tensorferry.bindings.ibverbs.ibv_qp_attr;
import io.tensorferry.bindings.ibverbs.ibv_qp_init_attr;
import io.tensorferry.bindings.ibverbs.ibv_wc;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.ibverbs.post.ReceiveRequestMemory;
import io.tensorferry.verbs.device.ibverbs.post.SendRequestList;
import io.tensorferry.verbs.device.ibverbs.post.WorkSlots;
import io.tensorferry.verbs.device.ibverbs.post.WorkTag;
import io.tensorferry.verbs.device.support.BoundWindows;
import io.tensorferry.verbs.device.support.OpenChildren;
import io.tensorferry.verbs.device.support.QueuePairAttributeRanges;
import io.tensorferry.verbs.device.support.QueuePairTransition;
import io.tensorferry.verbs.device.support.WindowBinding;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// An `ibv_qp` of type RC.
///
/// Threading: any thread. Posters to a queue hold its lock, which [#close()] also takes, so that nothing is posted to a
/// destroyed queue pair. Completions free slots on the poller's thread without a lock.
final class IbverbsQueuePair implements QueuePair {
    private static final String MODIFY = "ibv_modify_qp";
    private static final String POST_SEND = "ibv_post_send";
    private static final String POST_RECEIVE = "ibv_post_recv";
    private static final long MAX_LENGTH = 0xFFFF_FFFFL;

    private final QueuePairParents parents;
    private final MemorySegment queuePair;
    private final MemorySegment postSendFunction;
    private final MemorySegment postReceiveFunction;
    private final int number;
    private final int maxInlineBytes;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment refused;
    private final MemorySegment refusedPointer;
    private final SendRequestList prepared;
    private final ReceiveRequestMemory receiveRequest;
    private final WorkSlots sends;
    private final PostedRanges ranges;
    private final BoundWindows windows = new BoundWindows();
    private final WorkSlots receives;
    private final Object sendLock = new Object();
    private final Object receiveLock = new Object();
    private final Object modifyLock = new Object();

    /// The last known state: the last requested state, or ERR after the first failed completion. Written under the lock
    /// for modifications; the poller only writes ERR.
    private volatile QueuePairState state = QueuePairState.RESET;

    private volatile int sendOwner;
    private volatile int receiveOwner;
    private volatile boolean closed;
    /// Whether send requests were flushed without a request to do so, while none of them was identified as the cause.
    /// Requests before the cause that had no acknowledgement yet are flushed before it. Written by the poller.
    private volatile boolean causeMissing;

    /// The port's maximum message size in bytes.
    private volatile long maxMessageBytes = MAX_LENGTH;

    private int port = 1;

    private IbverbsQueuePair(
            QueuePairParents parents, MemorySegment queuePair, QueuePairOptions options, int maxInlineBytes) {
        this.parents = parents;
        this.queuePair = queuePair;
        this.maxInlineBytes = maxInlineBytes;
        number = ibv_qp.qp_num(queuePair);
        MemorySegment ops = ibv_context.ops(parents.device().context());
        postSendFunction = ibv_context_ops.post_send(ops);
        postReceiveFunction = ibv_context_ops.post_recv(ops);
        refused = arena.allocate(Ibverbs.C_POINTER);
        refusedPointer = MemorySegment.ofAddress(refused.address());
        prepared = new SendRequestList(arena, options.sendDepth());
        receiveRequest = new ReceiveRequestMemory(arena);
        sends = new WorkSlots(options.sendDepth());
        ranges = new PostedRanges(sends.length());
        receives = new WorkSlots(options.receiveDepth());
    }

    static QueuePair create(IbverbsDevice device, IbverbsProtectionDomain domain, QueuePairOptions options) {
        QueuePairParents parents = QueuePairParents.adopt(device, domain, options);
        try (var call = new NativeCall()) {
            MemorySegment wishes = QueuePairCreation.wishes(call, parents, options);
            MemorySegment pointer = QueuePairCreation.create(call, domain.pointer(), wishes, options.inlineBytes());
            var created = new IbverbsQueuePair(
                    parents, pointer, options, Math.min(QueuePairCreation.inlineBytes(wishes), options.inlineBytes()));
            try {
                created.join();
                return created;
            } catch (RuntimeException e) {
                int _ = Ibverbs.ibv_destroy_qp(pointer);
                throw e;
            }
        } catch (RuntimeException e) {
            parents.release();
            throw e;
        }
    }

    private void join() {
        sendOwner = parents.sendCompletions().queuePairs().add(this);
        try {
            receiveOwner = parents.receiveCompletions().queuePairs().add(this);
        } catch (RuntimeException e) {
            parents.sendCompletions().queuePairs().remove(sendOwner);
            throw e;
        }
    }

    private void leave() {
        parents.sendCompletions().queuePairs().remove(sendOwner);
        parents.receiveCompletions().queuePairs().remove(receiveOwner);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public int maxInlineBytes() {
        return maxInlineBytes;
    }

    @Override
    public QueuePairState state() {
        synchronized (modifyLock) {
            if (closed) {
                return QueuePairState.RESET;
            }
            try (var call = new NativeCall()) {
                MemorySegment attributes = ibv_qp_attr.allocate(call);
                MemorySegment options = ibv_qp_init_attr.allocate(call);
                VerbsCheck.returnedErrno(
                        "ibv_query_qp",
                        Ibverbs.ibv_query_qp(queuePair, attributes, Ibverbs.IBV_QP_STATE(), options),
                        () -> "queue pair " + number);
                return QueuePairModification.state(ibv_qp_attr.qp_state(attributes));
            }
        }
    }

    @Override
    public void modify(QueuePairAttributes attributes) {
        synchronized (modifyLock) {
            requireOpen(MODIFY);
            QueuePairTransition.check(state, attributes);
            if (attributes.target() == QueuePairState.RESET) {
                reset(attributes);
                return;
            }
            checkRanges(attributes);
            perform(attributes);
            state = attributes.target();
        }
    }

    private void perform(QueuePairAttributes attributes) {
        QueuePairModification.perform(
                queuePair, attributes, port, parents.device().description());
    }

    private void checkRanges(QueuePairAttributes attributes) {
        IbverbsDevice device = parents.device();
        boolean choosesPort = attributes.present().contains(QueuePairAttribute.PORT);
        int wanted = choosesPort ? attributes.get(QueuePairAttribute.PORT) : port;
        QueuePairAttributeRanges.require(
                QueuePairAttribute.PORT, wanted, 1, device.attributes().portCount());
        PortAttributes its = device.port(wanted);
        QueuePairAttributeRanges.check(attributes, device.attributes(), its.activeMtu());
        port = wanted;
        maxMessageBytes = its.maxMessageBytes();
    }

    /// Changes to RESET. Posted requests never complete; late completions carry the tag of a former owner.
    private void reset(QueuePairAttributes attributes) {
        synchronized (sendLock) {
            synchronized (receiveLock) {
                perform(attributes);
                state = QueuePairState.RESET;
                windows.closeAll();
                leave();
                join();
                causeMissing = false;
                prepared.clear();
                sends.clear();
                receives.clear();
            }
        }
    }

    /// Changes to ERR from any state; does nothing if the queue pair is destroyed.
    void enterError() {
        synchronized (modifyLock) {
            if (!closed && state != QueuePairState.RESET) {
                perform(QueuePairAttributes.to(QueuePairState.ERR));
                state = QueuePairState.ERR;
            }
        }
    }

    @Override
    public void prepareSend(SendWorkRequest request) {
        if (request.isForWindow()) {
            postForWindow(request);
            return;
        }
        if (request.length < 0 || request.length > maxMessageBytes) {
            throw invalid(POST_SEND, "the length " + request.length + " is not in 0.." + maxMessageBytes);
        }
        if (request.inline && request.length > maxInlineBytes) {
            throw invalid(POST_SEND, request.length + " inline bytes exceed the limit of " + maxInlineBytes);
        }
        synchronized (sendLock) {
            requireSendSlot();
            int slot = sends.prepare(request.workId);
            ranges.record(slot, request);
            prepared.next().fill(request, WorkTag.of(sendOwner, false, slot));
            sends.take();
            if (prepared.isFull()) {
                submitPrepared();
            }
        }
    }

    @Override
    public void submitSends() {
        synchronized (sendLock) {
            requireOpen(POST_SEND);
            submitPrepared();
        }
        flushIfFailed();
    }

    /// Called with the send queue's lock held.
    private void submitPrepared() {
        if (prepared.isEmpty()) {
            return;
        }
        int result = DataVerbs.postSend(postSendFunction, queuePair, prepared.first(), refusedPointer);
        int left = result == 0 ? 0 : prepared.countFrom(refused.get(Ibverbs.C_POINTER, 0));
        prepared.clear();
        if (result != 0) {
            sends.giveBack(left);
            throw new VerbsException(POST_SEND, Math.abs(result), "queue pair " + number);
        }
    }

    private void requireSendSlot() {
        requireOpen(POST_SEND);
        if (state.compareTo(QueuePairState.RTS) < 0) {
            throw invalid(POST_SEND, "the queue pair is in " + state);
        }
        if (sends.isFull()) {
            throw new VerbsException(
                    POST_SEND, VerbsException.ENOMEM, "the send queue of " + sends.depth() + " is full");
        }
    }

    /// Posts the request at once, with those prepared before, because the binding of the window depends on whether the
    /// device accepts it.
    private void postForWindow(SendWorkRequest request) {
        if (!(request.window instanceof IbverbsMemoryWindow window) || window.domain() != parents.domain()) {
            throw invalid(POST_SEND, "the window belongs to another protection domain");
        }
        synchronized (sendLock) {
            requireSendSlot();
            synchronized (window) {
                int slot = sends.prepare(request.workId);
                ranges.record(slot, request);
                long tag = WorkTag.of(sendOwner, false, slot);
                if (request.opcode == SendWorkRequest.Opcode.BIND_MW) {
                    postBind(request, window, tag);
                } else {
                    window.posted().requireBound(windows);
                    prepared.next().fillInvalidate(request, window.remoteKey(), tag);
                    takeAndSubmit();
                    window.posted().unbound();
                }
            }
        }
        flushIfFailed();
    }

    private void takeAndSubmit() {
        sends.take();
        submitPrepared();
    }

    private void postBind(SendWorkRequest request, IbverbsMemoryWindow window, long tag) {
        if (!(request.region instanceof IbverbsMemoryRegion region) || region.domain() != parents.domain()) {
            throw invalid(POST_SEND, "the window's region belongs to another protection domain");
        }
        WindowBinding.check(
                request, region, region.access(), parents.device().attributes().maxWindowBytes());
        // Posted separately: the requests prepared before are then already posted if the device rejects this bind.
        submitPrepared();
        int key = window.posted().nextKey();
        OpenChildren.add(POST_SEND, region.windows());
        try {
            prepared.next().fillBind(request, window.pointer(), region.pointer(), key, tag);
            takeAndSubmit();
        } catch (RuntimeException e) {
            region.windows().remove();
            throw e;
        }
        window.writeKey(key);
        window.posted().bound(windows, key, region.windows());
    }

    @Override
    public void postReceive(long workId, long address, long length, int localKey) {
        if (length < 0 || length > MAX_LENGTH) {
            throw invalid(POST_RECEIVE, "the length " + length + " is not in 0..2^32-1");
        }
        synchronized (receiveLock) {
            requireOpen(POST_RECEIVE);
            if (state == QueuePairState.RESET) {
                throw invalid(POST_RECEIVE, "the queue pair is in RESET");
            }
            if (receives.isFull()) {
                throw new VerbsException(
                        POST_RECEIVE, VerbsException.ENOMEM, "the receive queue of " + receives.depth() + " is full");
            }
            long tag = WorkTag.of(receiveOwner, true, receives.prepare(workId));
            int result = DataVerbs.postRecv(
                    postReceiveFunction,
                    queuePair,
                    receiveRequest.fill(tag, address, length, localKey),
                    refusedPointer);
            if (result != 0) {
                throw new VerbsException(POST_RECEIVE, Math.abs(result), "queue pair " + number);
            }
            receives.take();
        }
        flushIfFailed();
    }

    /// Requests posted in ERR must complete as flushed; not every driver processes its queues by itself in that state.
    private void flushIfFailed() {
        if (state == QueuePairState.ERR) {
            enterError();
        }
    }

    /// Handles a polled completion: frees its slots and sets the cursor to it. On the poller's thread.
    ///
    /// @param entry an `ibv_wc`
    void completed(long tag, MemorySegment entry, IbverbsWorkCompletion cursor) {
        boolean receive = WorkTag.isReceive(tag);
        int slot = WorkTag.slot(tag);
        WorkStatus status = WorkStatus.ofNumber(ibv_wc.status(entry));
        if (status != WorkStatus.SUCCESS && state != QueuePairState.RESET) {
            boolean first = state != QueuePairState.ERR;
            state = QueuePairState.ERR;
            if (status == WorkStatus.WR_FLUSH_ERR && !receive && (first || causeMissing)) {
                status = ranges.explainFlush(slot, parents.domain());
                causeMissing = status == WorkStatus.WR_FLUSH_ERR;
            }
        }
        cursor.set(entry, status, (receive ? receives : sends).free(slot), number, receive);
    }

    private void requireOpen(String verb) {
        if (closed) {
            throw invalid(verb, "the queue pair is destroyed");
        }
    }

    private static VerbsException invalid(String verb, String detail) {
        return new VerbsException(verb, VerbsException.EINVAL, detail);
    }

    @Override
    public void close() {
        synchronized (modifyLock) {
            synchronized (sendLock) {
                synchronized (receiveLock) {
                    if (closed) {
                        return;
                    }
                    closed = true;
                }
            }
            // A driver may keep a queue pair until the last window bound on it is deallocated.
            windows.closeAll();
            String verb = "ibv_destroy_qp";
            VerbsCheck.returnedErrno(
                    verb, Ibverbs.ibv_destroy_qp(queuePair), () -> "queue pair " + number + " is leaked");
            leave();
            parents.release();
            arena.close();
        }
    }
}
