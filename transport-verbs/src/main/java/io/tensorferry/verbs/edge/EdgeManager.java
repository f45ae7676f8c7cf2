package io.tensorferry.verbs.edge;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StaticEdge;
import io.tensorferry.api.StaticReceiver;
import io.tensorferry.api.StaticSender;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.EdgeHandler;
import io.tensorferry.verbs.channel.RdmaAdapter;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// The edges of one worker over one adapter.
///
/// Threading: the public methods from any thread; what the adapter tells comes on the loop.
public final class EdgeManager implements AutoCloseable {
    private final String workerName;
    private final Set<String> members;
    private final EdgeContext context;
    private final Map<String, PeerEdges> peers = new ConcurrentHashMap<>();
    // The ends that have not ended.
    private final Map<RendezvousKey, SendingEnd> senders = new ConcurrentHashMap<>();
    private final Map<RendezvousKey, ReceivingEnd> receivers = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /// @param adapter the caller starts it with [#handler()], and closes it after this manager
    /// @param members of the cluster
    public EdgeManager(RdmaAdapter adapter, Set<String> members) {
        this.workerName = adapter.workerName();
        this.members = Set.copyOf(members);
        this.context = new EdgeContext(
                adapter.loop(), adapter.memory(), new EdgeCounters(), adapter::withChannel, adapter.random());
    }

    /// What the adapter's channels are to tell.
    public EdgeHandler handler() {
        return new Incoming();
    }

    /// The producer's end of an edge, on this worker.
    ///
    /// @throws IllegalArgumentException if the producer is not this worker, if the consumer is no member of the
    ///     cluster, or if the key and the shape have more than some 500 bytes together
    /// @throws IllegalStateException if this end of the edge is open already
    /// @throws TransportException `UNAVAILABLE` once this is closed
    public StaticSender openSender(StaticEdge edge) {
        RendezvousKey key = edge.key();
        checkParties(edge, key.source().worker(), key.destination().worker());
        PeerEdges peer = peer(key.destination().worker());
        var end = new SendingEnd(edge, context, peer);
        add(senders, key, end, end.ended());
        context.loop().execute(() -> {
            peer.open(end);
            if (closed) {
                end.startAbort(stopped());
            }
        });
        return end;
    }

    /// The consumer's end of an edge, on this worker, in memory of the pool.
    ///
    /// @throws IllegalArgumentException if the consumer is not this worker, if the producer is no member of the
    ///     cluster, or if the key and the shape have more than some 500 bytes together
    /// @throws IllegalStateException if this end of the edge is open already
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory, `UNAVAILABLE` once this is closed
    public StaticReceiver openReceiver(StaticEdge edge) {
        return openReceiver(edge, () -> Places.allocate(edge, context.memory()));
    }

    /// The same in memory of the caller.
    ///
    /// @param memory registered, `edge.memoryBytes()` long, at a multiple of [StaticEdge#PLACE_ALIGNMENT]; the caller
    ///     keeps it as it is until [StaticReceiver#ended()]
    /// @throws IllegalArgumentException if the memory is none of that
    public StaticReceiver openReceiver(StaticEdge edge, MemorySegment memory) {
        return openReceiver(edge, () -> Places.in(memory, edge, context.memory()));
    }

    private StaticReceiver openReceiver(StaticEdge edge, Supplier<Places> memory) {
        RendezvousKey key = edge.key();
        checkParties(edge, key.destination().worker(), key.source().worker());
        PeerEdges peer = peer(key.source().worker());
        Places places = memory.get();
        var end = new ReceivingEnd(edge, context, peer, places);
        try {
            add(receivers, key, end, end.ended());
        } catch (RuntimeException e) {
            places.peerIsDone();
            places.consumerIsDone();
            throw e;
        }
        context.loop().execute(() -> {
            if (closed) {
                end.refuse(stopped());
            } else {
                peer.open(end);
            }
        });
        return end;
    }

    private void checkParties(StaticEdge edge, String here, String there) {
        RendezvousKey key = edge.key();
        if (!here.equals(workerName)) {
            throw new IllegalArgumentException("this end of " + key + " is on " + here + ", not on " + workerName);
        }
        if (!members.contains(there)) {
            throw new IllegalArgumentException(
                    "the other end of " + key + " is on " + there + ", which is no member of the cluster");
        }
        if (!MessageCodec.mayName(key.toString(), TensorMetaData.of(edge.dataType(), edge.shape()))) {
            throw new IllegalArgumentException("the key and the shape of " + edge + " are too long to be offered");
        }
    }

    private <E> void add(Map<RendezvousKey, E> ends, RendezvousKey key, E end, CompletableFuture<Void> ended) {
        if (closed) {
            throw stopped();
        }
        if (ends.putIfAbsent(key, end) != null) {
            throw new IllegalStateException("this end of the edge " + key + " is open already");
        }
        var _ = ended.whenComplete((_, _) -> ends.remove(key));
    }

    private TransportException stopped() {
        return new TransportException(StatusCode.UNAVAILABLE, workerName + " is stopping");
    }

    private PeerEdges peer(String name) {
        PeerEdges known = peers.get(name);
        return known != null ? known : peers.computeIfAbsent(name, _ -> new PeerEdges(name, workerName));
    }

    /// Whether a tensor that was sent is not written yet. Any thread; it may be so no longer.
    public boolean isBusy() {
        return senders.values().stream().anyMatch(SendingEnd::isBusy);
    }

    public EdgeStatistics statistics() {
        EdgeCounters counters = context.counters();
        return new EdgeStatistics(
                senders.size(),
                receivers.size(),
                counters.tensorsSent.sum(),
                counters.bytesSent.sum(),
                counters.tensorsReceived.sum(),
                counters.bytesReceived.sum(),
                counters.unregisteredCopies.sum());
    }

    /// Ends every edge: tensors that are under way are written, those that wait are dropped. The adapter goes on until
    /// it is closed.
    @Override
    public void close() {
        closed = true;
        context.loop()
                .execute(() -> peers.values()
                        .forEach(peer ->
                                peer.end(new TransportException(StatusCode.ABORTED, workerName + " is stopping"))));
    }

    /// What the channels bring. On the loop.
    private final class Incoming implements EdgeHandler {
        @Override
        public void onMessage(RdmaChannel channel, Message.OfEdge message) {
            peer(channel.peer()).onMessage(channel, message);
        }

        @Override
        public void onResumed(RdmaChannel channel) {
            peer(channel.peer()).onResumed();
        }

        @Override
        public void onCredit(RdmaChannel channel, int edge, long released) {
            peer(channel.peer()).onCredit(edge, released);
        }

        @Override
        public void onEdgeContent(RdmaChannel channel, int edge, int lane) {
            peer(channel.peer()).onContent(edge, lane);
        }

        @Override
        public void onChannelOpen(RdmaChannel channel) {
            peer(channel.peer()).onChannelOpen(channel);
        }

        @Override
        public void onMemoryStranded(RdmaChannel channel) {
            peer(channel.peer()).onMemoryStranded();
        }

        @Override
        public void onChannelLost(RdmaChannel channel, ChannelLoss loss) {
            peer(channel.peer()).onChannelLost(loss);
        }
    }
}
