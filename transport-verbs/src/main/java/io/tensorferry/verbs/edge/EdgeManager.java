package io.tensorferry.verbs.edge;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicReceiver;
import io.tensorferry.api.edge.DynamicSender;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.EdgeHandler;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.link.RdmaAdapter;
import io.tensorferry.verbs.loop.UserCode;
import io.tensorferry.verbs.statistics.EdgeStatistics;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Opens and tracks the edges of one worker over one adapter.
///
/// Threading: the public methods from any thread; the adapter's events on the loop.
public final class EdgeManager implements AutoCloseable {
    private final String workerName;
    private final Set<String> members;
    private final EdgeContext context;
    private final Map<String, PeerEdges> peers = new ConcurrentHashMap<>();
    // The ends that are open or have not finished ending.
    private final Map<RendezvousKey, SendingEnd> senders = new ConcurrentHashMap<>();
    private final Map<RendezvousKey, ReceivingEnd> receivers = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /// @param adapter the caller starts it with [#handler()], and closes it after this manager
    /// @param members members of the cluster
    /// @param users runs the user's code: actions, and dependents of futures
    public EdgeManager(RdmaAdapter adapter, Set<String> members, UserCode users) {
        this.workerName = adapter.workerName();
        this.members = Set.copyOf(members);
        this.context = new EdgeContext(
                adapter.loop(),
                adapter.background(),
                users,
                adapter.memory(),
                new EdgeCounters(),
                adapter,
                adapter.random());
    }

    /// The handler of the adapter's edge events.
    public EdgeHandler handler() {
        return new Incoming();
    }

    /// Opens the producer's end of a static edge on this worker.
    ///
    /// @throws IllegalArgumentException if the producer is not this worker, if the consumer is not a member of the
    /// cluster, or if the key and the shape together exceed about 500 bytes
    /// @throws IllegalStateException if this end of the edge is already open
    /// @throws TransportException `UNAVAILABLE` once this manager is closed
    public StaticSender openSender(StaticEdge edge) {
        return open(new StaticSendingEnd(edge, context, consumer(edge.key(), metaData(edge))), edge.key());
    }

    /// Opens the producer's end of a dynamic edge on this worker.
    ///
    /// @throws IllegalArgumentException if the producer is not this worker, if the consumer is not a member of the
    /// cluster, or if the key exceeds about 500 bytes
    /// @throws IllegalStateException if this end of the edge is already open
    /// @throws TransportException `UNAVAILABLE` once this manager is closed
    public DynamicSender openSender(DynamicEdge edge) {
        return open(new DynamicSendingEnd(edge, context, consumer(edge.key(), null)), edge.key());
    }

    private <E extends SendingEnd> E open(E end, RendezvousKey key) {
        end.whenEnded(() -> senders.remove(key, end));
        add(senders, key, end);
        PeerEdges peer = peer(key.destination().worker());
        context.loop().execute(() -> {
            peer.open(end);
            if (closed) {
                end.fail(stopped());
            }
        });
        return end;
    }

    /// Opens the consumer's end of a static edge on this worker, in memory of the pool.
    ///
    /// @throws IllegalArgumentException if the consumer is not this worker, if the producer is not a member of the
    /// cluster, or if the key and the shape together exceed about 500 bytes
    /// @throws IllegalStateException if this end of the edge is already open
    /// @throws TransportException `RESOURCE_EXHAUSTED` if no memory is available, `UNAVAILABLE` once this manager is
    /// closed
    public StaticReceiver openReceiver(StaticEdge edge) {
        return openReceiver(edge, () -> Places.allocate(edge, context.memory()));
    }

    /// Opens the consumer's end of a static edge on this worker, in memory of the caller.
    ///
    /// @param memory registered, `edge.memoryBytes()` long, aligned to [StaticEdge#PLACE_ALIGNMENT]; the caller keeps
    /// it valid and registered until [StaticReceiver#ended()]
    /// @throws IllegalArgumentException if the memory does not meet these conditions, or as for
    /// [#openReceiver(StaticEdge)]
    public StaticReceiver openReceiver(StaticEdge edge, MemorySegment memory) {
        return openReceiver(edge, () -> Places.in(memory, edge, context.memory()));
    }

    private StaticReceiver openReceiver(StaticEdge edge, Supplier<Places> memory) {
        PeerEdges peer = producer(edge.key(), metaData(edge));
        requireOpen();
        Places places = memory.get();
        try {
            return open(new StaticReceivingEnd(edge, context, peer, places), edge.key());
        } catch (RuntimeException e) {
            places.peerIsDone();
            places.consumerIsDone();
            throw e;
        }
    }

    /// Opens the consumer's end of a dynamic edge on this worker. Its tensors are in memory of the pool.
    ///
    /// @throws IllegalArgumentException if the consumer is not this worker, if the producer is not a member of the
    /// cluster, or if the key exceeds about 500 bytes
    /// @throws IllegalStateException if this end of the edge is already open
    /// @throws TransportException `UNAVAILABLE` once this manager is closed
    public DynamicReceiver openReceiver(DynamicEdge edge) {
        return open(new DynamicReceivingEnd(edge, context, producer(edge.key(), null)), edge.key());
    }

    private <E extends ReceivingEnd> E open(E end, RendezvousKey key) {
        end.whenEnded(() -> receivers.remove(key, end));
        add(receivers, key, end);
        PeerEdges peer = peer(key.source().worker());
        context.loop().execute(() -> {
            if (closed) {
                end.refuse(stopped());
            } else {
                peer.open(end);
            }
        });
        return end;
    }

    private static TensorMetaData metaData(StaticEdge edge) {
        return TensorMetaData.of(edge.dataType(), edge.shape());
    }

    /// @param offered the metadata offered with the key, or null
    private PeerEdges consumer(RendezvousKey key, @Nullable TensorMetaData offered) {
        return other(key, key.source().worker(), key.destination().worker(), offered);
    }

    /// @param offered the metadata offered with the key, or null
    private PeerEdges producer(RendezvousKey key, @Nullable TensorMetaData offered) {
        return other(key, key.destination().worker(), key.source().worker(), offered);
    }

    private PeerEdges other(RendezvousKey key, String here, String there, @Nullable TensorMetaData offered) {
        if (!here.equals(workerName)) {
            throw new IllegalArgumentException("this end of " + key + " is on " + here + ", not on " + workerName);
        }
        if (!members.contains(there)) {
            throw new IllegalArgumentException(
                    "the other end of " + key + " is on " + there + ", which is not a member of the cluster");
        }
        if (!MessageCodec.mayName(key.toString(), offered)) {
            throw new IllegalArgumentException("the key " + key + " and the shape are too long for an offer");
        }
        return peer(there);
    }

    private <E> void add(Map<RendezvousKey, E> ends, RendezvousKey key, E end) {
        requireOpen();
        if (ends.putIfAbsent(key, end) != null) {
            throw new IllegalStateException("this end of the edge " + key + " is open already");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw stopped();
        }
    }

    private TransportException stopped() {
        return new TransportException(StatusCode.UNAVAILABLE, workerName + " is stopping");
    }

    private PeerEdges peer(String name) {
        PeerEdges known = peers.get(name);
        return known != null ? known : peers.computeIfAbsent(name, _ -> new PeerEdges(name, workerName));
    }

    /// Whether a sent tensor is not yet delivered. Any thread; the result may be stale.
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

    /// Ends every edge: tensors in progress are completed, waiting ones are dropped. The adapter stays open until it is
    /// closed.
    @Override
    public void close() {
        closed = true;
        context.loop()
                .execute(() -> peers.values()
                        .forEach(peer ->
                                peer.end(new TransportException(StatusCode.ABORTED, workerName + " is stopping"))));
    }

    /// Dispatches the channels' events to the peers' edges. On the loop.
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
