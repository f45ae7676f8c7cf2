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

/// Carries one queue pair's requests to its peer and the answers back.
///
/// Requests arrive in order, each after a drawn delay; so do answers. An undelivered request or answer is retried after
/// the queue pair's timeout until its retries are exhausted. If the answer to an executed request is lost, the
/// requester fails although the payload is in place.
///
/// Payload is copied when the request arrives. As with hardware, the requester must neither change nor free it before
/// the completion.
///
/// Threading: the fabric's thread.
final class SimulatedLink implements Link {
    /// The retry interval for `timeout` 0, which means no limit.
    private static final long ENDLESS_INTERVAL_NS = 4_000_000;

    private final SimulatedCarrier carrier;
    private final SimulatedFabric fabric;
    private final SoftwareQueuePair queuePair;
    /// Requests that the peer has not executed.
    private final Queue<MessageInFlight> requests = new ArrayDeque<>();
    /// Requests that the peer has executed or refused, with the answer in flight.
    private final Queue<MessageInFlight> answers = new ArrayDeque<>();
    private long lastArrival;
    private long lastAnswer;
    private final Retries requestRetries = new Retries();
    private final Retries answerRetries = new Retries();
    /// The peer whose request waits here for a posted receive.
    private @Nullable SimulatedLink held;
    /// Distinguishes events of earlier connections from the current one.
    private int epoch;

    SimulatedLink(SimulatedCarrier carrier, SoftwareQueuePair queuePair) {
        this.carrier = carrier;
        this.fabric = carrier.fabric();
        this.queuePair = queuePair;
    }

    /// The delivery attempts of one request or answer.
    private static final class Retries {
        /// Whether delivery waits for a scheduled event or a posted receive.
        boolean waiting;
        /// The time of the first failed attempt; negative if none has failed.
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

    /// Looks up the GID entry, as the kernel does.
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
        // The peer is looked up at the first request.
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

    /// Delivers the arrived requests in order, until one cannot proceed.
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

    /// The peer's connected queue pair; null if it does not exist or cannot be reached.
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
                // No answer: the requester's retries run out.
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
            // Retry when a receive is posted; a timed retry without limit would keep the clock's event queue from ever
            // becoming empty.
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

    /// Retries the request that waits here.
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

    /// The answer's delay. READ data travel with the answer.
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

    /// Copies a part of the payload to its destination.
    ///
    /// @return false if the requester's memory is gone
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

    /// Handles the death of this side's node: the first part of a WRITE in flight may be applied.
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
