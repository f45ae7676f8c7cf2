package io.tensorferry.verbs.channel.setup;

import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.DeviceAttributes;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAddress;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.choice.PortAddress;
import io.tensorferry.verbs.loop.BackgroundThreads;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.statistics.ChannelDescription;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// This end of a channel: its completion queue, queue pairs and ring memory, from creation to destruction.
///
/// The completion queue belongs to this channel alone and holds as many completions as its queue pairs can have work
/// requests. So it cannot overrun, and its failure affects no other channel.
///
/// Threading: created, connected, stopped and destroyed on a background thread, because each may take long on a device;
/// one call at a time. The loop owns the endpoint between these calls.
public final class ChannelEndpoint implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChannelEndpoint.class);
    private static final int PSN_BITS = 24;

    private final ChannelContext context;
    private final PortAddress address;
    private final CompletionQueue completionQueue;
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final List<QueuePairAddress> addresses = new ArrayList<>();
    private final int sendDepth;
    private final int receiveDepth;
    // Written by a background thread and read by the loop, ordered by the command that follows.
    private boolean quiet;
    private @Nullable RegisteredBuffer incoming;
    private @Nullable RegisteredBuffer outgoing;

    private ChannelEndpoint(
            ChannelContext context,
            PortAddress address,
            CompletionQueue completionQueue,
            int sendDepth,
            int receiveDepth) {
        this.context = context;
        this.address = address;
        this.completionQueue = completionQueue;
        this.sendDepth = sendDepth;
        this.receiveDepth = receiveDepth;
    }

    /// Queries the port's address, creates all resources and moves the queue pairs to INIT. Releases everything if it
    /// fails.
    ///
    /// @throws io.tensorferry.verbs.device.VerbsException if the device refuses
    /// @throws io.tensorferry.api.TransportException if memory for the ring is exhausted
    public static ChannelEndpoint create(ChannelContext context) {
        PortAddress address = PortAddress.ask(context.port(), context.config());
        ChannelOptions options = context.options();
        int sendDepth = context.config().queueDepth();
        int receiveDepth = Math.max(sendDepth, ConnectionParameters.MIN_RECEIVE_DEPTH);
        int controlReceives = options.ringSlots() + ConnectionParameters.RESERVED_RECEIVES;
        VerbsDevice device = context.port().device();
        int lanes = options.lanesOn(device);
        int completions = sendDepth + controlReceives + lanes * (sendDepth + receiveDepth);
        CompletionQueue queue = device.createCompletionQueue(
                completions, context.completions(), context.vectors().next());
        var endpoint = new ChannelEndpoint(context, address, queue, sendDepth, receiveDepth);
        try {
            endpoint.addQueuePair(controlReceives);
            for (int i = 0; i < lanes; i++) {
                endpoint.addQueuePair(receiveDepth);
            }
            long ringBytes = (long) options.ringSlots() * options.slotBytes();
            endpoint.incoming = context.memory().allocateForPeer(ringBytes);
            endpoint.outgoing = context.memory().allocate(ringBytes);
            return endpoint;
        } catch (RuntimeException e) {
            endpoint.close();
            throw e;
        }
    }

    private void addQueuePair(int receives) {
        QueuePair queuePair = context.domain()
                .createQueuePair(new QueuePairOptions(
                        completionQueue,
                        completionQueue,
                        sendDepth,
                        receives,
                        context.options().posting().inlineBytes()));
        // The first queue pair carries messages, which are never read by RDMA READ.
        boolean readable = !queuePairs.isEmpty() && readsAtOnce() > 0;
        queuePairs.add(queuePair);
        QueuePairSetup.toInit(queuePair, context.port(), context.config(), readable);
        int psn = context.random().nextInt(1 << PSN_BITS);
        addresses.add(new QueuePairAddress(
                address.lid(), queuePair.number(), psn, address.gid().gid()));
    }

    /// The address by which the peer reaches this end.
    public PortAddress address() {
        return address;
    }

    public CompletionQueue completionQueue() {
        return completionQueue;
    }

    public List<QueuePair> queuePairs() {
        return queuePairs;
    }

    public int sendDepth() {
        return sendDepth;
    }

    public RegisteredBuffer incoming() {
        return require(incoming);
    }

    public RegisteredBuffer outgoing() {
        return require(outgoing);
    }

    private static RegisteredBuffer require(@Nullable RegisteredBuffer buffer) {
        if (buffer == null) {
            throw new IllegalStateException("the endpoint is not complete");
        }
        return buffer;
    }

    /// The parameters of this end, sent to the peer.
    ///
    /// @param connectionId the dialling end's number of this channel
    /// @param attempt this end's count of attempts for this peer
    public ConnectionParameters parameters(long connectionId, long attempt) {
        RegisteredBuffer ring = incoming();
        return new ConnectionParameters(
                ConnectionParameters.PROTOCOL_VERSION,
                context.workerName(),
                context.incarnation(),
                connectionId,
                attempt,
                addresses,
                new RemoteRegion(ring.address(), ring.remoteKey()),
                context.options().ringSlots(),
                context.options().slotBytes(),
                receiveDepth,
                address.mtu(),
                context.port().attributes().maxMessageBytes(),
                stripeBytes(),
                readsAtOnce(),
                context.piecesAtOnce(),
                context.port().fabric());
    }

    /// The channel's negotiated parameters: the smaller of both ends' limits.
    public ChannelDescription describe(ConnectionParameters peer) {
        ConnectionParameters own = parameters(peer.connectionId(), 1);
        int pairs = Math.min(own.queuePairs().size(), peer.queuePairs().size());
        return new ChannelDescription(
                peer.hostName(),
                peer.connectionId(),
                context.port().device().name(),
                context.port().portNumber(),
                own.queuePairs().subList(0, pairs),
                peer.queuePairs().subList(0, pairs),
                Math.min(own.mtu(), peer.mtu()),
                Math.min(own.ringSlots(), peer.ringSlots()),
                Math.min(own.slotBytes(), peer.slotBytes()),
                sendDepth(),
                Math.min(own.receiveDepth(), peer.receiveDepth()),
                Math.min(own.maxMessageBytes(), peer.maxMessageBytes()),
                Math.max(own.stripeBytes(), peer.stripeBytes()),
                Math.min(own.readsAtOnce(), peer.readsAtOnce()),
                own.piecesAtOnce(),
                peer.piecesAtOnce());
    }

    /// The RDMA READs that one queue pair supports in both directions, limited by the options.
    private int readsAtOnce() {
        DeviceAttributes limits = context.port().device().attributes();
        int most = Math.min(limits.maxReadsAsInitiator(), limits.maxReadsAsTarget());
        return Math.min(most, context.options().readsAtOnce());
    }

    /// Striping is disabled with request scope, because a memory window opens memory to one queue pair only.
    private long stripeBytes() {
        return switch (context.config().rkeyScope()) {
            case SLAB -> context.options().stripeBytes();
            case REQUEST -> Long.MAX_VALUE;
        };
    }

    /// Connects the queue pairs to the peer's, up to RTS. Closes those for which the peer has no counterpart.
    ///
    /// @throws IllegalArgumentException if the peer's device is connected through another fabric
    public void connect(ConnectionParameters peer) {
        BackgroundThreads.waiting(() -> connectTo(peer));
    }

    private void connectTo(ConnectionParameters peer) {
        requireSameFabric(peer);
        int mtu = Math.min(address.mtu(), peer.mtu());
        int laneReads = Math.min(readsAtOnce(), peer.readsAtOnce());
        while (queuePairs.size() > peer.queuePairs().size()) {
            queuePairs.removeLast().close();
        }
        for (int i = 0; i < queuePairs.size(); i++) {
            QueuePair queuePair = queuePairs.get(i);
            int reads = i == 0 ? 0 : laneReads;
            toReadyToReceive(queuePair, peer.queuePairs().get(i), mtu, reads);
            QueuePairSetup.toReadyToSend(
                    queuePair, context.config(), addresses.get(i).packetSequenceNumber(), reads);
        }
    }

    private void toReadyToReceive(QueuePair queuePair, QueuePairAddress peer, int mtu, int reads) {
        try {
            QueuePairSetup.toReadyToReceive(queuePair, address, context.config(), peer, mtu, reads);
        } catch (VerbsException e) {
            if (address.isThere(context.port(), context.config())) {
                throw e;
            }
            // The device reports a removed address like a wrong one, but the next endpoint will have another address.
            var gone = new VerbsException(
                    "ibv_modify_qp", VerbsException.ENODATA, address + " is no longer an address of the port");
            gone.addSuppressed(e);
            throw gone;
        }
    }

    /// Queue pairs on different fabrics cannot communicate: their set-up would succeed, but nothing would arrive.
    private void requireSameFabric(ConnectionParameters peer) {
        String own = context.port().fabric();
        if (!own.equals(peer.fabric())) {
            throw new IllegalArgumentException(peer.hostName() + " has a device of the fabric '" + peer.fabric() + "', "
                    + context.workerName() + " has " + context.port().device().name() + " of the fabric '" + own
                    + "'; choose devices of one fabric with RDMA_DEVICE");
        }
    }

    /// Stops all traffic: no data lands in local memory any more. A queue pair that cannot be stopped is left to
    /// [#close()].
    public void stopTraffic() {
        BackgroundThreads.waiting(this::stopQueuePairs);
    }

    private void stopQueuePairs() {
        quiet = true;
        for (QueuePair queuePair : queuePairs) {
            try {
                queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
            } catch (RuntimeException e) {
                quiet = false;
                LOG.warn("a queue pair could not be stopped before it is destroyed", e);
            }
        }
    }

    /// Whether the device is known to have released all memory given to it: the queue pairs were stopped or are
    /// destroyed.
    public boolean isQuiet() {
        return quiet;
    }

    /// Destroys all resources. A resource that the device refuses to destroy is logged and left; the memory of the ring
    /// is then kept too, because the device may still use it.
    @Override
    public void close() {
        BackgroundThreads.waiting(this::destroyAll);
    }

    private void destroyAll() {
        boolean destroyed = true;
        for (QueuePair queuePair : queuePairs) {
            destroyed &= destroy(queuePair::close);
        }
        queuePairs.clear();
        quiet |= destroyed;
        if (!destroyed || !destroy(completionQueue::close)) {
            return;
        }
        if (incoming != null) {
            incoming.close();
        }
        if (outgoing != null) {
            outgoing.close();
        }
    }

    private static boolean destroy(Runnable close) {
        try {
            close.run();
            return true;
        } catch (RuntimeException e) {
            LOG.error("the device failed to destroy a resource of a channel, which is leaked", e);
            return false;
        }
    }
}
