package io.tensorferry.testing.fabric;

import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.core.Link;
import io.tensorferry.verbs.device.software.core.PayloadMemory;
import io.tensorferry.verbs.device.software.core.QueuePairSettings;
import io.tensorferry.verbs.device.software.core.Responder;
import io.tensorferry.verbs.device.software.core.SendSlot;
import io.tensorferry.verbs.device.software.core.SoftwareMemoryRegion;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// The way of one queue pair's requests to its peer and of the answers back.
///
/// Requests arrive in order, each after a drawn delay; so do answers. A request or answer that does not get through
/// is sent again after the queue pair's timeout until its retries are used up. An answer can be lost though the
/// request was executed: then the payload is there and the requester fails all the same.
///
/// Payload is copied when the request arrives: until its completion the requester may neither change nor free it,
/// as with hardware.
///
/// Threading: the fabric's thread.
final class SimulatedLink implements Link {
    /// Where `timeout` is 0, that is, without end.
    private static final long ENDLESS_INTERVAL_NS = 4_000_000;

    private final SimulatedCarrier carrier;
    private final SimulatedFabric fabric;
    private final SoftwareQueuePair queuePair;
    /// Requests that the peer has not executed.
    private final Queue<MessageInFlight> requests = new ArrayDeque<>();
    /// Requests that it has executed or refused, and whose answer is on its way.
    private final Queue<MessageInFlight> answers = new ArrayDeque<>();
    private long lastArrival;
    private long lastAnswer;
    private final Retries requestRetries = new Retries();
    private final Retries answerRetries = new Retries();
    /// The peer whose request waits here for a posted receive.
    private @Nullable SimulatedLink held;
    /// Tells events of an earlier connection from those of this one.
    private int epoch;

    SimulatedLink(SimulatedCarrier carrier, SoftwareQueuePair queuePair) {
        this.carrier = carrier;
        this.fabric = carrier.fabric();
        this.queuePair = queuePair;
    }

    /// The attempts to get one request or answer through.
    private static final class Retries {
        /// Nothing is tried before an event that is scheduled, or a receive that is posted.
        boolean waiting;
        /// When it failed first; negative for not yet.
        long since = -1;

        void clear() {
            waiting = false;
            since = -1;
        }
    }

    @Override
    public String way() {
        return "simulated";
    }

    /// As the kernel, which looks the entry up.
    @Override
    public void requireReachable(AddressHandle peer) {
        if (carrier.gid(peer.sourceGidIndex()).isZero()) {
            throw new VerbsException(
                    "ibv_modify_qp",
                    VerbsException.EINVAL,
                    "entry " + peer.sourceGidIndex() + " of the GID table is not in use");
        }
    }

    @Override
    public void connect() {
        // Nothing to do before the first request.
    }

    @Override
    public void transmit() {
        for (SendSlot slot = queuePair.requester().next();
                slot != null;
                slot = queuePair.requester().next()) {
            var message = new MessageInFlight(slot);
            requests.add(message);
            lastArrival = Math.max(lastArrival + 1, fabric.now() + carrier.sendDelay(slot.length));
            later(lastArrival - fabric.now(), () -> {
                message.arrived = true;
                deliver();
            });
        }
    }

    private void later(long delayNs, Runnable action) {
        int scheduledIn = epoch;
        carrier.schedule(delayNs, () -> {
            if (scheduledIn == epoch) {
                action.run();
            }
        });
    }

    /// Delivers what has arrived, in order, until something keeps it up.
    private void deliver() {
        while (!requestRetries.waiting) {
            MessageInFlight message = requests.peek();
            if (message == null || !message.arrived) {
                return;
            }
            SimulatedLink peer = peer();
            if (peer == null || peer.queuePair.responder().expectedSequence() != message.request.sequence) {
                retryLater(requestRetries, this::deliver);
            } else {
                requestRetries.clear();
                execute(message, peer);
            }
        }
    }

    /// The connected queue pair of the peer, if it is there and can be reached.
    private @Nullable SimulatedLink peer() {
        QueuePairSettings settings = queuePair.settings();
        AddressHandle address = settings.address();
        SimulatedCarrier there = fabric.reachable(carrier, address.destination(), address.destinationLid());
        if (there == null || there.partitionKey() != carrier.partitionKey()) {
            return null;
        }
        SimulatedLink link = there.link(settings.destination());
        if (link == null || !link.queuePair.answers()) {
            return null;
        }
        QueuePairSettings theirs = link.queuePair.settings();
        boolean connected = theirs.destination() == queuePair.number()
                && theirs.address().destination().equals(carrier.gid(address.sourceGidIndex()))
                && theirs.address().destinationLid() == carrier.lid();
        return connected ? link : null;
    }

    private void retryLater(Retries retries, Runnable action) {
        QueuePairSettings settings = queuePair.settings();
        if (retries.since < 0) {
            retries.since = fabric.now();
        }
        long interval = settings.retryIntervalNs() == Long.MAX_VALUE ? ENDLESS_INTERVAL_NS : settings.retryIntervalNs();
        long left = settings.retryBudgetNs() - (fabric.now() - retries.since);
        retries.waiting = true;
        later(Math.max(1, Math.min(interval, left)), () -> {
            retries.waiting = false;
            if (fabric.now() - retries.since >= settings.retryBudgetNs()) {
                queuePair.requester().lost();
            } else {
                action.run();
            }
        });
    }

    private void execute(MessageInFlight message, SimulatedLink peer) {
        Responder responder = peer.queuePair.responder();
        Responder.Verdict verdict =
                message.payloadMoved ? Responder.Verdict.ADMITTED : responder.admit(message.request);
        if (verdict == Responder.Verdict.ADMITTED) {
            if (!message.payloadMoved) {
                if (!movePayload(message, responder, 1)) {
                    queuePair.requester().failLocally();
                    return;
                }
                message.payloadMoved = true;
            }
            WorkStatus fault = message.request.takesReceive() ? fabric.faults().takeReceive(peer.carrier.node()) : null;
            if (fault != null) {
                // No answer: the requester finds nobody there any more.
                responder.failReceive(message.request, fault);
                retryLater(requestRetries, this::deliver);
                return;
            }
            verdict = responder.finish(message.request);
        }
        fabric.mix(queuePair.number() * 31L + message.request.sequence);
        switch (verdict) {
            case ADMITTED -> throw new IllegalStateException("an admitted request is not finished");
            case EXECUTED -> answer(message, WorkStatus.SUCCESS);
            case NOT_READY -> hold(message, peer);
            case REFUSED -> refuse(message, responder);
        }
    }

    private void hold(MessageInFlight message, SimulatedLink peer) {
        int rnrRetry = queuePair.settings().rnrRetry();
        long delay = peer.queuePair.responder().notReadyDelayNs(rnrRetry);
        if (delay < 0) {
            refuse(message, peer.queuePair.responder());
            return;
        }
        requestRetries.waiting = true;
        if (QueuePairSettings.isForEver(rnrRetry)) {
            // Tried again when a receive is posted, or else the clock would never run out of events.
            peer.held = this;
        } else {
            later(delay, this::tryAgain);
        }
    }

    private void tryAgain() {
        requestRetries.waiting = false;
        deliver();
    }

    @Override
    public void receivePosted() {
        releaseHeld();
    }

    /// The request that waits here is tried again, with success or not.
    private void releaseHeld() {
        SimulatedLink sender = held;
        held = null;
        if (sender != null) {
            int connection = sender.epoch;
            sender.carrier.schedule(fabric.drawDelay(0), () -> {
                if (connection == sender.epoch) {
                    sender.tryAgain();
                }
            });
        }
    }

    private void refuse(MessageInFlight message, Responder responder) {
        WorkStatus refusal = responder.refusal();
        answer(message, refusal);
        responder.refuse(message.request);
    }

    private void answer(MessageInFlight message, WorkStatus status) {
        requests.remove();
        message.answer = status;
        answers.add(message);
        lastAnswer = Math.max(lastAnswer + 1, fabric.now() + answerDelay(message));
        later(lastAnswer - fabric.now(), () -> {
            message.answerArrived = true;
            takeAnswers();
        });
    }

    /// What was READ is sent by the peer.
    private long answerDelay(MessageInFlight message) {
        if (!message.slot.isRead()) {
            return fabric.drawDelay(0);
        }
        SimulatedLink peer = peer();
        return (peer == null ? carrier : peer.carrier).sendDelay(message.slot.length);
    }

    private void takeAnswers() {
        for (MessageInFlight message = answers.peek();
                message != null && message.answerArrived;
                message = answers.peek()) {
            AddressHandle address = queuePair.settings().address();
            if (fabric.reachable(carrier, address.destination(), address.destinationLid()) == null) {
                if (!answerRetries.waiting) {
                    retryLater(answerRetries, this::takeAnswers);
                }
                return;
            }
            answerRetries.clear();
            answers.remove();
            complete(message);
        }
    }

    private void complete(MessageInFlight message) {
        int sequence = message.request.sequence;
        WorkStatus answer = message.answer;
        if (answer == WorkStatus.SUCCESS) {
            WorkStatus fault = fabric.faults().takeSend(carrier.node());
            answer = fault == null ? answer : fault;
        }
        if (answer != null && answer != WorkStatus.SUCCESS) {
            queuePair.requester().refuse(sequence, answer);
        } else if (message.slot.isRead()) {
            queuePair.requester().answeredRead(sequence, message.request.length);
            queuePair.requester().acknowledge(sequence);
            transmit();
        } else {
            queuePair.requester().acknowledge(sequence);
        }
    }

    /// Copies a part of the payload to where it goes.
    ///
    /// @return false if the requester's own memory is gone
    private boolean movePayload(MessageInFlight message, Responder responder, double part) {
        SoftwareMemoryRegion local = message.slot.region;
        PayloadMemory remote = responder.memory();
        if (local == null || remote == null) {
            return true;
        }
        if (!local.isOpen()) {
            return false;
        }
        long length = (long) (message.request.length * part);
        MemorySegment here = local.slice(message.slot.localAddress, length);
        MemorySegment there = remote.slice(responder.address(), length);
        MemorySegment target = message.slot.isRead() ? here : there;
        target.copyFrom(message.slot.isRead() ? there : here);
        fabric.counters().addCopied(length);
        if (length > 0 && fabric.drawCorruption(message.slot.immediate)) {
            long at = fabric.random().nextLong(length);
            byte flipped = (byte) (target.get(ValueLayout.JAVA_BYTE, at)
                    ^ 1 << fabric.random().nextInt(8));
            target.set(ValueLayout.JAVA_BYTE, at, flipped);
        }
        return true;
    }

    /// This side's node dies: of a write that is on its way, the first part may have come.
    void tear() {
        releaseHeld();
        Iterator<MessageInFlight> first = requests.iterator();
        SimulatedLink peer = peer();
        if (first.hasNext() && peer != null && fabric.random().nextBoolean()) {
            MessageInFlight message = first.next();
            boolean write = message.request.opcode == SendWorkRequest.Opcode.RDMA_WRITE
                    || message.request.opcode == SendWorkRequest.Opcode.RDMA_WRITE_WITH_IMM;
            Responder responder = peer.queuePair.responder();
            boolean next = responder.expectedSequence() == message.request.sequence;
            if (write
                    && next
                    && !message.payloadMoved
                    && responder.admit(message.request) == Responder.Verdict.ADMITTED) {
                movePayload(message, responder, fabric.random().nextDouble());
            }
        }
    }

    @Override
    public void drop() {
        epoch++;
        requests.clear();
        answers.clear();
        requestRetries.clear();
        answerRetries.clear();
        releaseHeld();
        lastArrival = fabric.now();
        lastAnswer = fabric.now();
    }
}
