package io.tensorferry.verbs.channel;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkCompletionHandler;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.OutgoingMessage;
import io.tensorferry.verbs.wire.WorkId;
import io.tensorferry.verbs.wire.WorkKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A connected channel to one peer: a control queue pair with a ring of messages, and lanes for contents.
///
/// It is open until something goes wrong; then it is lost for good and the link to the peer makes another.
///
/// Owner: the loop. Other threads reach it by a command.
public final class RdmaChannel {
    private static final Logger LOG = LoggerFactory.getLogger(RdmaChannel.class);
    private static final int COMPLETIONS_PER_POLL = 64;
    private static final int CONTROL = 0;

    private final ChannelDescription description;
    private final String peer;
    private final long peerIncarnation;
    private final AdapterContext context;
    private final ChannelEndpoint endpoint;
    private final List<QueuePair> queuePairs;
    private final ChannelHandlers handlers;
    private final BiConsumer<RdmaChannel, ChannelLoss> onLost;
    private final Consumer<RdmaChannel> onHeard;
    private final SuspectedDeath death;
    private final List<Lane> lanes = new ArrayList<>();
    private final Striping striping;
    private final int ringContentBytes;
    private final OutgoingRing outgoing;
    private final Arrivals arrivals;
    private final RemoteKeys keys;
    private final Departures departures;
    private final Keepalive keepalive;
    private final WorkCompletionHandler onCompletion = this::onCompletion;
    private boolean open = true;
    private boolean mayWrite;
    // Something waits to be posted, and something of the peer has arrived, since the last turn.
    private boolean wantsPump;
    private boolean heard;
    private @Nullable ChannelFailure failure;

    /// Takes over a connected endpoint and starts to receive. Both ends use the smaller of each of their limits.
    ///
    /// @param mayWrite whether the peer is known to be ready to receive; otherwise [#permitWriting()] tells later
    /// @param onLost told once, after the handlers, when the channel is lost
    /// @param onHeard told once, soon after the first that came of the peer
    RdmaChannel(
            AdapterContext context,
            ChannelEndpoint endpoint,
            ConnectionParameters peer,
            boolean mayWrite,
            ChannelHandlers handlers,
            SuspectedDeath death,
            BiConsumer<RdmaChannel, ChannelLoss> onLost,
            Consumer<RdmaChannel> onHeard) {
        this.description = ChannelDescription.of(
                endpoint.parameters(peer.connectionId(), 1), peer, context.port(), endpoint.sendDepth());
        this.peer = peer.hostName();
        this.peerIncarnation = peer.incarnation();
        this.context = context;
        this.endpoint = endpoint;
        this.queuePairs = List.copyOf(endpoint.queuePairs());
        this.handlers = handlers;
        this.death = death;
        this.onLost = onLost;
        this.onHeard = onHeard;
        this.mayWrite = mayWrite;
        int slots = description.ringSlots();
        int receiveDepth = description.receiveDepth();
        this.outgoing = new OutgoingRing(
                endpoint.outgoing(), peer.ring(), slots, description.slotBytes(), (int) maxMessageBytes());
        var incoming = new IncomingRing(endpoint.incoming(), slots, description.slotBytes());
        PostingOptions posting = context.options().posting();
        int chunkBytes = (int) Math.min(posting.chunkBytes(), description.maxWriteBytes());
        this.ringContentBytes = posting.ringContentBytes();
        for (QueuePair queuePair : queuePairs) {
            int index = lanes.size();
            int receives = index == CONTROL ? slots + ImmediateCredits.RESERVE : receiveDepth;
            int batch = (index == CONTROL ? slots : receiveDepth) / 4;
            var lane = new Lane(index, queuePair, endpoint.sendDepth(), chunkBytes, receives, batch, posting);
            lanes.add(lane);
            for (int i = 0; i < receives; i++) {
                lane.postReceive();
            }
        }
        this.striping = new Striping(lanes, description.stripeBytes());
        this.arrivals = new Arrivals(this, handlers, context.counters(), incoming, outgoing, striping);
        this.keys = switch (context.config().rkeyScope()) {
            case SLAB -> new SlabKeys(outgoing);
            case REQUEST -> new WindowKeys(context, outgoing, lanes, this::pumpSoon);
        };
        this.departures = new Departures(lanes, outgoing, keys, context.counters());
        ChannelOptions options = context.options();
        this.keepalive = new Keepalive(
                context.loop(), options.keepaliveInterval(), options.peerTimeout(), this::showLife, this::onSilent);
        context.counters().opened.increment();
        context.loop().add(this);
    }

    /// What both ends agreed on.
    public ChannelDescription description() {
        return description;
    }

    /// How requests to the peer travel now, as [PeerStatus#way()] says it. Any thread.
    String way() {
        return queuePairs.stream()
                .map(QueuePair::way)
                .filter(way -> !way.isEmpty())
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /// The other worker, as `/job:worker/replica:0/task:1`.
    public String peer() {
        return peer;
    }

    /// Which life of the peer's process this channel leads to.
    public long peerIncarnation() {
        return peerIncarnation;
    }

    public boolean isOpen() {
        return open;
    }

    /// Whether anything of the peer has arrived.
    boolean hasHeard() {
        return keepalive.hasHeard();
    }

    boolean hasQueuePair(int number) {
        return endpoint.queuePairs().stream().anyMatch(queuePair -> queuePair.number() == number);
    }

    /// Whether a message is longer neither than a slot of the peer's ring nor than one write; only a long rendezvous
    /// key can make it so.
    public boolean fits(OutgoingMessage message) {
        return message.shortestSize() <= maxMessageBytes();
    }

    private long maxMessageBytes() {
        return Math.min(description.slotBytes(), description.maxWriteBytes());
    }

    /// Sends a control message, in order; a lost channel drops it.
    ///
    /// @throws IllegalArgumentException if it does not fit
    public void send(OutgoingMessage message) {
        if (!fits(message)) {
            throw new IllegalArgumentException(
                    "the message takes " + message.encodedSize() + " bytes, one may have " + maxMessageBytes());
        }
        if (open) {
            outgoing.enqueue(message);
            pumpSoon();
        }
    }

    /// Sends a control message that names memory to the peer, in order with the others, when the peer's key opens that
    /// memory; a lost channel drops it. The content comes over the lane of `requestIndex`, or all.
    ///
    /// @return what the caller revokes before the memory is used otherwise; not needed after the loss of the channel
    public MemoryGrant send(NamedMemory memory, int requestIndex, MemoryNaming naming) {
        if (!open) {
            return MemoryGrant.LASTING;
        }
        MemoryGrant grant = keys.grant(memory, striping.laneOf(requestIndex), naming);
        pumpSoon();
        return striping.await(requestIndex, memory.length(), grant);
    }

    /// Writes a content, into the memory that its request named or, if it is small, as a message in the peer's ring;
    /// exactly one of its two methods is called in the end, on the loop.
    public void write(ContentWrite write) {
        if (write.length <= ringContentBytes && carries(write.encodedSize())) {
            carry(write);
        } else {
            writeDirectly(write);
        }
    }

    /// Writes a content into the memory that its request or its edge named; else the same as [#write].
    public void writeDirectly(ContentWrite write) {
        if (open) {
            striping.enqueue(write);
            pumpSoon();
        } else {
            write.onAbandoned();
        }
    }

    /// Sends a message about an edge that names memory, as [#send(NamedMemory, int, MemoryNaming)] does; the peer
    /// writes or reads there over the lanes that [#lanesOf] says.
    public MemoryGrant offer(NamedMemory memory, int edge, MemoryNaming naming) {
        if (!open) {
            return MemoryGrant.LASTING;
        }
        MemoryGrant grant = keys.grant(memory, striping.laneOf(Immediate.ofEdge(edge)), naming);
        pumpSoon();
        return grant;
    }

    /// Reads memory of the peer; exactly one of the batch's two methods is called in the end, on the loop. The peer has
    /// granted it, over this channel, to this lane.
    ///
    /// @param lane 1 to [#laneCount()]
    /// @throws IllegalStateException if [ChannelDescription#readsAtOnce()] is 0
    public void read(ReadBatch batch, int lane) {
        requireReads();
        if (open) {
            lanes.get(lane).enqueue(batch);
            pumpSoon();
        } else {
            batch.onAbandoned();
        }
    }

    /// Reads a content that the peer has announced for an edge, over the lanes that one of its size is written over;
    /// exactly one of its two methods is called in the end, on the loop.
    ///
    /// @throws IllegalStateException if [ChannelDescription#readsAtOnce()] is 0
    public void read(ContentRead read, int edge) {
        requireReads();
        if (open) {
            striping.enqueue(read, Immediate.ofEdge(edge));
            pumpSoon();
        } else {
            read.onContentAbandoned();
        }
    }

    private void requireReads() {
        if (description.readsAtOnce() == 0) {
            throw new IllegalStateException("no memory is read over the channel to " + peer);
        }
    }

    /// Over how many lanes a content of so many bytes comes: 1, or all, each of which brings its immediate.
    public int lanesOf(long bytes) {
        return striping.lanesOf(bytes);
    }

    /// Data lanes of the channel, numbered from 1.
    public int laneCount() {
        return lanes.size() - 1;
    }

    /// Whether a content whose message takes so many bytes, its metadata with it, is to be carried by the ring; where
    /// none is, one of no bytes is not either.
    public boolean carries(int messageBytes) {
        return ringContentBytes > 0 && messageBytes <= maxMessageBytes();
    }

    /// Sends a content as a message in the peer's ring; else the same as [#write].
    public void carry(ContentWrite write) {
        if (open) {
            write.lanesLeft = 1;
            outgoing.enqueue(write);
            pumpSoon();
        } else {
            write.onAbandoned();
        }
    }

    /// The peer is ready to receive.
    void permitWriting() {
        if (!mayWrite && open) {
            mayWrite = true;
            pumpSoon();
        }
    }

    void requestNotification() {
        try {
            endpoint.completionQueue().requestNotification();
        } catch (VerbsException e) {
            onRefused(e);
        }
    }

    /// Takes some completions and acts on them; returns how many.
    int poll() {
        int count;
        try {
            count = endpoint.completionQueue().poll(COMPLETIONS_PER_POLL, onCompletion);
        } catch (VerbsException e) {
            lose(ChannelFailure.ofCompletionQueue(peer, e));
            return 1;
        }
        if (failure != null) {
            loseIfFailed();
        } else if (count > 0 || wantsPump) {
            if (heard) {
                heard = false;
                keepalive.heardNow();
            }
            pump();
        }
        return count;
    }

    /// Something waits: it is posted before the turn of the loop ends, with what else comes in this turn.
    private void pumpSoon() {
        wantsPump = true;
        context.loop().pumpSoon();
    }

    /// Posts what waits, if anything was added since the last time.
    void pumpIfWanted() {
        if (wantsPump && open) {
            pump();
        }
    }

    private void pump() {
        wantsPump = false;
        if (failure != null) {
            return;
        }
        try {
            if (departures.pump(mayWrite)) {
                keepalive.spoke();
            }
        } catch (VerbsException e) {
            onRefused(e);
        } catch (RuntimeException e) {
            // Whoever has the memory of a content may have ended its life.
            LOG.error("what waits for the channel to {} could not be sent", peer, e);
            failSoon(ChannelFailure.ofMistake(peer, e));
        }
    }

    private void onRefused(VerbsException e) {
        failSoon(ChannelFailure.ofRefusedCall(peer, e));
    }

    private void failSoon(ChannelFailure why) {
        failWith(why);
        // Not at once: the completion queue may be in the middle of a poll that led here, or the loop among its
        // channels.
        context.loop().execute(this::loseIfFailed);
    }

    private void loseIfFailed() {
        if (failure != null) {
            lose(failure);
        }
    }

    private void onCompletion(WorkCompletion completion) {
        try {
            dispatch(completion);
        } catch (VerbsException e) {
            onRefused(e);
        } catch (RuntimeException | Error e) {
            // A mistake of ours must not end the loop, and with it every other channel.
            LOG.error("a completion of the channel to {} could not be handled", peer, e);
            failure = ChannelFailure.ofMistake(peer, e);
        }
    }

    private void dispatch(WorkCompletion completion) {
        long workId = completion.workId();
        WorkKind kind = WorkId.kind(workId);
        int number = WorkId.lane(workId);
        Lane lane = kind == null || number >= lanes.size() ? null : lanes.get(number);
        if (kind == null
                || lane == null
                || (kind != WorkKind.RECEIVE && !lane.posted().contains(workId))) {
            context.counters().unknownCompletions.increment();
            LOG.warn("a completion from {} has the unknown work id {}; it is ignored", peer, workId);
        } else if (completion.status() != WorkStatus.SUCCESS) {
            failWith(ChannelFailure.ofCompletion(peer, kind, completion.status(), completion.vendorError()));
        } else if (kind == WorkKind.RECEIVE) {
            onReceived(lane, number == CONTROL, completion);
        } else {
            departures.onCompletion(lane, workId);
        }
    }

    private void failWith(ChannelFailure why) {
        failure = failure == null ? why : failure.orBetter(why);
    }

    private void onReceived(Lane lane, boolean control, WorkCompletion completion) {
        if (arrivals.areDistrusted()) {
            return;
        }
        // Whoever writes has connected its queue pairs: a write that overtakes the exchange's ready says the same.
        mayWrite = true;
        heard = true;
        if (keepalive.heard()) {
            context.loop().execute(() -> onHeard.accept(this));
        }
        lane.postReceive();
        ChannelFailure why = arrivals.on(lane, control, completion);
        if (why != null) {
            failure = why;
        }
    }

    private void onSilent() {
        String what = mayWrite ? "the peer was silent for " : "the peer was not ready after ";
        lose(
                new TransportException(
                        StatusCode.UNAVAILABLE, what + context.options().peerTimeout(), peer, 0, null),
                true);
    }

    private void showLife() {
        if (!mayWrite) {
            return;
        }
        try {
            departures.showLife();
            pumpSoon();
        } catch (VerbsException e) {
            onRefused(e);
        }
    }

    /// The peer has told by another way that it has lost this channel: ends it here too. What was under way may go on.
    public void onPeerLostIt() {
        lose(new TransportException(StatusCode.UNAVAILABLE, "the peer has lost the channel", peer, 0, null), true);
    }

    /// Ends the channel for a reason that is not the device's.
    ///
    /// @param mayResume whether the peer, as far as is known, may go on over another channel
    void lose(TransportException cause, boolean mayResume) {
        lose(ChannelFailure.of(cause, mayResume));
    }

    /// Ends the channel: no more traffic, everything in flight given back, the handlers told. Does nothing if it is
    /// lost already.
    void lose(ChannelFailure why) {
        if (!open) {
            return;
        }
        failure = why;
        open = false;
        keepalive.stop();
        context.counters().failed.increment();
        context.loop().remove(this);
        endpoint.stopTraffic();
        // Before the queue pairs: a device may keep one as long as a window is bound on it.
        keys.close();
        takeWhatArrived();
        endpoint.close();
        if (endpoint.isQuiet()) {
            keys.end();
        } else {
            LOG.error("the device keeps a queue pair to {}; the memory of what was under way stays out of use", peer);
            keys.strand();
            handlers.onMemoryStranded(this);
        }
        List<Integer> unconfirmed = departures.abandon();
        // What was still to be taken may say more of why.
        ChannelFailure end = death.judge(failure, peerIncarnation);
        boolean mayGoOn = end.mayGoOn(context.hasFallback()) && endpoint.isQuiet();
        var loss = new ChannelLoss(end.cause(), mayGoOn, unconfirmed);
        handlers.onChannelLost(this, loss);
        onLost.accept(this, loss);
    }

    /// Contents that landed before the end count.
    private void takeWhatArrived() {
        try {
            while (endpoint.completionQueue().poll(COMPLETIONS_PER_POLL, onCompletion) > 0) {
                // Each is handled as it comes.
            }
        } catch (VerbsException e) {
            LOG.debug("the completion queue of the channel to {} could not be drained", peer, e);
        }
    }

    @Override
    public String toString() {
        return "RdmaChannel[" + peer + (open ? "]" : ", lost]");
    }
}
