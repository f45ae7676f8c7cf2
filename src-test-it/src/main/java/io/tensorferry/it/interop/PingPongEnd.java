package io.tensorferry.it.interop;

import static io.tensorferry.verbs.device.QueuePairAttribute.ACCESS_FLAGS;
import static io.tensorferry.verbs.device.QueuePairAttribute.DEST_QPN;
import static io.tensorferry.verbs.device.QueuePairAttribute.MAX_DEST_RD_ATOMIC;
import static io.tensorferry.verbs.device.QueuePairAttribute.MAX_RD_ATOMIC;
import static io.tensorferry.verbs.device.QueuePairAttribute.MIN_RNR_TIMER;
import static io.tensorferry.verbs.device.QueuePairAttribute.PATH_MTU;
import static io.tensorferry.verbs.device.QueuePairAttribute.PKEY_INDEX;
import static io.tensorferry.verbs.device.QueuePairAttribute.PORT;
import static io.tensorferry.verbs.device.QueuePairAttribute.RETRY_COUNT;
import static io.tensorferry.verbs.device.QueuePairAttribute.RNR_RETRY;
import static io.tensorferry.verbs.device.QueuePairAttribute.RQ_PSN;
import static io.tensorferry.verbs.device.QueuePairAttribute.SQ_PSN;
import static io.tensorferry.verbs.device.QueuePairAttribute.TIMEOUT;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.CompletionChannel;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAddress;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.choice.ChosenPort;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/// The verbs objects of one end: a queue pair, a message to send and a received message. At most one message per
/// direction is in flight, so all receives may use the same memory. For one thread.
final class PingPongEnd implements AutoCloseable {
    private static final int BITS_24 = 0xFF_FFFF;
    private static final int AT_A_TIME = 16;
    private static final int HOPS = 64;

    private final ChosenPort port;
    private final PingPongPlan plan;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final MemoryRegion outgoingRegion;
    private final MemoryRegion incomingRegion;
    private final SendWorkRequest request = new SendWorkRequest();
    private final int sequence = ThreadLocalRandom.current().nextInt(BITS_24 + 1);
    final MemorySegment outgoing;
    final MemorySegment incoming;
    private int sent;
    private int received;

    /// Creates the queue pair and posts all receives, so that a peer may send as soon as it is connected.
    ///
    /// @param port an open port; the caller closes it after this object
    PingPongEnd(ChosenPort port, PingPongPlan plan) {
        this.port = port;
        this.plan = plan;
        domain = port.device().allocateProtectionDomain();
        channel = port.device().createCompletionChannel();
        completions = port.device().createCompletionQueue(plan.receiveDepth() + 1, channel);
        queuePair = domain.createQueuePair(new QueuePairOptions(completions, completions, 1, plan.receiveDepth()));
        outgoing = arena.allocate(plan.size(), Long.BYTES);
        incoming = arena.allocate(plan.size(), Long.BYTES);
        outgoingRegion = domain.register(outgoing, Set.of());
        incomingRegion = domain.register(incoming, Set.of(AccessFlag.LOCAL_WRITE));
        queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT)
                .set(PKEY_INDEX, plan.rdma().pkeyIndex())
                .set(PORT, port.portNumber())
                .set(ACCESS_FLAGS, 0));
        for (int i = 0; i < plan.receiveDepth(); i++) {
            receive();
        }
    }

    QueuePairAddress address() {
        return new QueuePairAddress(
                port.attributes().lid(),
                queuePair.number(),
                sequence,
                port.gid().gid());
    }

    void connect(QueuePairAddress peer) {
        var way = new AddressHandle(
                peer.gid(), peer.lid(), port.gid().index(), plan.rdma().serviceLevel(), 0, HOPS);
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR)
                .address(way)
                .set(PATH_MTU, port.mtu())
                .set(DEST_QPN, peer.queuePairNumber())
                .set(RQ_PSN, peer.packetSequenceNumber())
                .set(MAX_DEST_RD_ATOMIC, 1)
                .set(MIN_RNR_TIMER, 12));
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS)
                .set(SQ_PSN, sequence)
                .set(TIMEOUT, plan.rdma().timeout())
                .set(RETRY_COUNT, plan.rdma().retryCount())
                .set(RNR_RETRY, 7)
                .set(MAX_RD_ATOMIC, 1));
    }

    private void receive() {
        queuePair.postReceive(0, incomingRegion.address(), plan.size(), incomingRegion.localKey());
    }

    /// Sends the content of `outgoing`, which must not change until the count of sent messages includes this message.
    void send() {
        queuePair.postSend(request.send(0, outgoingRegion.address(), plan.size(), outgoingRegion.localKey()));
    }

    int sent() {
        return sent;
    }

    int received() {
        return received;
    }

    /// Waits until these total numbers of messages are sent and received. Posts the receive of the last message again.
    ///
    /// @throws PingPongException if an operation fails, or no completion arrives within the limit
    @SuppressWarnings("ThreadPriorityCheck")
    void await(int sends, int receives) {
        long deadlineNs = System.nanoTime() + plan.limit().toNanos();
        while (sent < sends || received < receives) {
            if (completions.poll(AT_A_TIME, this::completed) > 0) {
                continue;
            }
            long leftNs = deadlineNs - System.nanoTime();
            if (leftNs <= 0) {
                throw new PingPongException("nothing completed within " + plan.limit() + "; sent " + sent + " of "
                        + sends + ", received " + received + " of " + receives);
            }
            if (plan.events()) {
                completions.requestNotification();
                if (completions.poll(AT_A_TIME, this::completed) == 0) {
                    channel.await(leftNs);
                }
            } else {
                // The thread that executes the requests may need this processor.
                Thread.yield();
            }
        }
    }

    private void completed(WorkCompletion completion) {
        if (completion.status() != WorkStatus.SUCCESS) {
            throw new PingPongException("a work request completed with " + completion.status() + " after " + sent
                    + " messages sent and " + received + " received");
        }
        if (completion.opcode() == WorkCompletion.Opcode.SEND) {
            sent++;
            return;
        }
        if (completion.byteLength() != plan.size()) {
            throw new PingPongException(
                    "message " + received + " has " + completion.byteLength() + " bytes instead of " + plan.size());
        }
        received++;
        receive();
    }

    @Override
    public void close() {
        queuePair.close();
        completions.close();
        channel.close();
        outgoingRegion.close();
        incomingRegion.close();
        domain.close();
        arena.close();
    }
}
