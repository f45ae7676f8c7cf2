package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.support.BoundWindows;
import io.tensorferry.verbs.device.support.OpenChildren;
import io.tensorferry.verbs.device.support.QueuePairTransition;
import io.tensorferry.verbs.device.support.WindowBinding;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A reliable-connected queue pair in user space.
///
/// Threading: posting publishes a work request in its queue and notifies the loop. State changes, execution and
/// completion happen on the loop; [#modify] and [#close] wait for it. Posters to one queue exclude each other by the
/// queue's monitor.
public final class SoftwareQueuePair implements QueuePair {
    private static final long MAX_LENGTH = 0xFFFF_FFFFL;

    private final SoftwareDevice device;
    private final SoftwareProtectionDomain domain;
    private final OpenChildren domainChildren;
    private final int number;
    private final SoftwareCompletionQueue sendCompletions;
    private final SoftwareCompletionQueue receiveCompletions;
    private final SendQueue sendQueue;
    private final ReceiveQueue receiveQueue;
    private final QueuePairSettings settings = new QueuePairSettings();
    private final Requester requester;
    private final Responder responder;
    private final Link link;
    private final BoundWindows windows = new BoundWindows();
    private final AtomicBoolean inReadyList = new AtomicBoolean();
    /// The next queue pair in the loop's [ReadyList]; guarded by that list.
    @Nullable
    SoftwareQueuePair nextReady;

    /// Written by the loop. Transitions to and from RESET hold both queues' monitors, so that no request is posted to a
    /// cleared queue.
    private volatile QueuePairState state = QueuePairState.RESET;

    private volatile boolean destroyed;

    SoftwareQueuePair(
            SoftwareDevice device,
            SoftwareProtectionDomain domain,
            OpenChildren domainChildren,
            int number,
            SoftwareCompletionQueue sendCompletions,
            SoftwareCompletionQueue receiveCompletions,
            int sendDepth,
            int receiveDepth,
            Carrier carrier) {
        this.device = device;
        this.domain = domain;
        this.domainChildren = domainChildren;
        this.number = number;
        this.sendCompletions = sendCompletions;
        this.receiveCompletions = receiveCompletions;
        this.sendQueue = new SendQueue(sendDepth);
        this.receiveQueue = new ReceiveQueue(receiveDepth);
        this.requester = new Requester(this, sendQueue, sendCompletions);
        this.responder = new Responder(this, receiveQueue, receiveCompletions);
        this.link = carrier.link(this);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairState state() {
        return state;
    }

    @Override
    public void prepareSend(SendWorkRequest request) {
        if (request.isForWindow()) {
            prepareForWindow(request);
            return;
        }
        if (request.length < 0 || request.length > MAX_LENGTH) {
            throw invalid("ibv_post_send", "the length " + request.length + " is not in 0..2^32-1");
        }
        if (request.inline && request.length > maxInlineBytes()) {
            throw invalid("ibv_post_send", request.length + " inline bytes exceed the limit of " + maxInlineBytes());
        }
        synchronized (sendQueue) {
            requireSending();
            sendQueue.add(request);
        }
    }

    @Override
    public void submitSends() {
        requestService();
    }

    private void requireSending() {
        QueuePairState now = state;
        if (destroyed || now.compareTo(QueuePairState.RTS) < 0) {
            throw invalid("ibv_post_send", "the queue pair is " + (destroyed ? "destroyed" : "in " + now));
        }
    }

    private void prepareForWindow(SendWorkRequest request) {
        if (!(request.window instanceof SoftwareMemoryWindow window) || window.domain() != domain) {
            throw invalid("ibv_post_send", "the window belongs to another protection domain");
        }
        synchronized (sendQueue) {
            requireSending();
            if (request.opcode == SendWorkRequest.Opcode.BIND_MW) {
                postBind(request, window.posted());
            } else {
                window.posted().requireBound(windows);
                sendQueue.add(request);
                window.posted().unbound();
            }
        }
        requestService();
    }

    private void postBind(SendWorkRequest request, WindowBinding binding) {
        if (!(request.region instanceof SoftwareMemoryRegion region) || region.domain() != domain) {
            throw invalid("ibv_post_send", "the window's region belongs to another protection domain");
        }
        WindowBinding.check(
                request, region, region.access(), device.attributes().maxWindowBytes());
        int key = binding.nextKey();
        OpenChildren.add("ibv_post_send", region.windows());
        try {
            request.remoteKey = key;
            sendQueue.add(request);
        } catch (RuntimeException e) {
            region.windows().remove();
            throw e;
        }
        binding.bound(windows, key, region.windows());
    }

    @Override
    public void postReceive(long workId, long address, long length, int localKey) {
        if (length < 0 || length > MAX_LENGTH) {
            throw invalid("ibv_post_recv", "the length " + length + " is not in 0..2^32-1");
        }
        synchronized (receiveQueue) {
            if (destroyed || state == QueuePairState.RESET) {
                throw invalid("ibv_post_recv", "the queue pair is " + (destroyed ? "destroyed" : "in RESET"));
            }
            receiveQueue.add(workId, address, length, localKey);
        }
        if (responder.isWaiting() || state == QueuePairState.ERR) {
            requestService();
        }
    }

    private void requestService() {
        if (inReadyList.compareAndSet(false, true)) {
            device.loop().ready(this);
        }
    }

    /// Processes posted requests. The loop calls this after [DeviceLoop#ready]; a later post schedules another service.
    public void service() {
        inReadyList.set(false);
        if (destroyed) {
            return;
        }
        switch (state) {
            case ERR -> flush();
            case RTS -> {
                requester.executeLocal();
                link.transmit();
            }
            case RESET, INIT, RTR, SQE -> {
                // Nothing to send.
            }
        }
        if (responder.isWaiting() && !receiveQueue.isEmpty()) {
            link.receivePosted();
        }
    }

    @Override
    public String way() {
        return link.way();
    }

    /// Schedules another service of this queue pair behind other waiting work.
    public void serveAgain() {
        requestService();
    }

    @Override
    public void modify(QueuePairAttributes attributes) {
        device.loop().run(() -> modifyOnLoop(attributes));
    }

    private void modifyOnLoop(QueuePairAttributes attributes) {
        if (destroyed) {
            throw invalid("ibv_modify_qp", "the queue pair is destroyed");
        }
        QueuePairState from = state;
        QueuePairState to = attributes.target();
        QueuePairTransition.check(from, attributes);
        if (attributes.present().contains(QueuePairAttribute.ADDRESS)) {
            link.requireReachable(attributes.address());
        }
        settings.apply(attributes, device.attributes(), device.activeMtu(), device.gidTableLength());
        if (to == QueuePairState.ERR) {
            enterError();
        } else if (to == QueuePairState.RESET) {
            clear();
        } else if (device.hasFailed()) {
            throw new VerbsException("ibv_modify_qp", VerbsException.EIO, "the device has failed");
        } else {
            if (to == QueuePairState.RTR) {
                responder.start(attributes.get(QueuePairAttribute.RQ_PSN));
            } else if (from == QueuePairState.RTR && to == QueuePairState.RTS) {
                requester.start(attributes.get(QueuePairAttribute.SQ_PSN));
            }
            state = to;
            if (from == QueuePairState.RTR && to == QueuePairState.RTS) {
                link.connect();
            }
        }
    }

    /// Moves to RESET: cuts the link and discards all posted requests and their completions.
    private void clear() {
        synchronized (sendQueue) {
            synchronized (receiveQueue) {
                state = QueuePairState.RESET;
                link.drop();
                requester.reset();
                responder.reset();
            }
        }
        windows.closeAll();
        settings.clear();
        sendCompletions.purge(this);
        receiveCompletions.purge(this);
    }

    /// Moves to ERR: cuts the link and flushes all posted requests.
    ///
    /// @return whether the state changed
    boolean enterError() {
        return enterError(() -> {});
    }

    /// Moves to ERR because the oldest outstanding send request failed.
    void failRequester(WorkStatus status) {
        enterError(() -> requester.completeWithError(status));
    }

    /// Moves to ERR because the oldest receive failed.
    void failReceive(Request request, WorkStatus status) {
        enterError(() -> responder.completeWithError(request, status));
    }

    /// The order matters: when an application sees the first error completion, the state is already ERR and the link no
    /// longer accesses its memory.
    private boolean enterError(Runnable completeCause) {
        if (destroyed || state == QueuePairState.ERR) {
            return false;
        }
        state = QueuePairState.ERR;
        link.drop();
        completeCause.run();
        flush();
        return true;
    }

    private void flush() {
        requester.flush();
        responder.flush();
    }

    /// Handles the poll of a work request's completion. Called on the poller's thread.
    void completionPolled(boolean ofSendQueue, long index) {
        if (ofSendQueue) {
            sendQueue.free(index);
        } else {
            receiveQueue.free(index);
        }
    }

    void failCompletionQueue() {
        sendCompletions.fail();
    }

    public SoftwareDevice device() {
        return device;
    }

    public QueuePairSettings settings() {
        return settings;
    }

    public Requester requester() {
        return requester;
    }

    public Responder responder() {
        return responder;
    }

    public Link link() {
        return link;
    }

    /// Whether the queue pair answers a peer's requests: in RTR or RTS. On the loop.
    public boolean answers() {
        return !destroyed && (state == QueuePairState.RTR || state == QueuePairState.RTS);
    }

    SoftwareProtectionDomain domain() {
        return domain;
    }

    @Override
    public void close() {
        device.loop().run(this::destroy);
    }

    private void destroy() {
        if (destroyed) {
            return;
        }
        synchronized (sendQueue) {
            synchronized (receiveQueue) {
                destroyed = true;
                state = QueuePairState.RESET;
            }
        }
        link.drop();
        windows.closeAll();
        sendCompletions.purge(this);
        receiveCompletions.purge(this);
        sendCompletions.detach(this);
        receiveCompletions.detach(this);
        device.forget(this);
        domainChildren.remove();
    }

    private static VerbsException invalid(String verb, String detail) {
        return new VerbsException(verb, VerbsException.EINVAL, detail);
    }
}
