package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.channel.lane.ContentRead;
import io.tensorferry.verbs.channel.lane.ContentWrite;
import io.tensorferry.verbs.channel.lane.Lane;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.channel.lane.MemoryNaming;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.channel.lane.OutgoingRing;
import io.tensorferry.verbs.channel.lane.ReadBatch;
import io.tensorferry.verbs.channel.lane.RemoteKeys;
import io.tensorferry.verbs.channel.lane.SlabKeys;
import io.tensorferry.verbs.channel.lane.Striping;
import io.tensorferry.verbs.channel.lane.WindowKeys;
import io.tensorferry.verbs.channel.setup.ChannelContext;
import io.tensorferry.verbs.channel.setup.ChannelEndpoint;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.config.PostingOptions;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.loop.CompletionLoop;
import io.tensorferry.verbs.statistics.ChannelDescription;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.OutgoingMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// A connected channel to one peer, as it is used: a control queue pair with a ring of messages, and lanes for
/// contents. Takes what is to be sent, and what is to be read of the peer; [ChannelLife] posts it.
///
/// It is open until something goes wrong; then it is lost for good and the link to the peer makes another.
///
/// Owner: the loop. Other threads reach it by a command.
public final class RdmaChannel {
    private final ChannelDescription description;
    private final String peer;
    private final long peerIncarnation;
    private final CompletionLoop loop;
    private final Runnable onPeerLostIt;
    private final List<QueuePair> queuePairs;
    private final List<Lane> lanes = new ArrayList<>();
    private final int chunkBytes;
    private final int ringContentBytes;
    private final Striping striping;
    private final OutgoingRing outgoing;
    private final RemoteKeys keys;
    private boolean open = true;
    // Something waits to be posted since the last turn.
    private boolean wantsPump;

    /// Takes over the queue pairs of a connected endpoint, and posts their receives. Both ends use the smaller of
    /// each of their limits.
    ///
    /// @param onPeerLostIt ends the channel, because the peer has lost it
    RdmaChannel(ChannelContext context, ChannelEndpoint endpoint, ConnectionParameters peer, Runnable onPeerLostIt) {
        this.description = endpoint.describe(peer);
        this.peer = peer.hostName();
        this.peerIncarnation = peer.incarnation();
        this.loop = context.loop();
        this.onPeerLostIt = onPeerLostIt;
        this.queuePairs = List.copyOf(endpoint.queuePairs());
        int slots = description.ringSlots();
        int receiveDepth = description.receiveDepth();
        this.outgoing = new OutgoingRing(
                endpoint.outgoing(), peer.ring(), slots, description.slotBytes(), (int) maxMessageBytes());
        PostingOptions posting = context.options().posting();
        this.chunkBytes = (int) Math.min(posting.chunkBytes(), description.maxWriteBytes());
        this.ringContentBytes = posting.ringContentBytes();
        for (QueuePair queuePair : queuePairs) {
            int index = lanes.size();
            boolean control = index == 0;
            int receives = control ? slots + ConnectionParameters.RESERVED_RECEIVES : receiveDepth;
            int batch = (control ? slots : receiveDepth) / 4;
            var lane = new Lane(index, queuePair, endpoint.sendDepth(), chunkBytes, receives, batch, posting);
            lanes.add(lane);
            for (int i = 0; i < receives; i++) {
                lane.postReceive();
            }
        }
        this.striping = new Striping(lanes, description.stripeBytes());
        this.keys = switch (context.config().rkeyScope()) {
            case SLAB -> new SlabKeys(outgoing);
            case REQUEST -> new WindowKeys(context, peer.hostName(), outgoing, lanes, this::pumpSoon);
        };
    }

    /// What both ends agreed on.
    public ChannelDescription description() {
        return description;
    }

    /// How requests to the peer travel now, as [io.tensorferry.verbs.statistics.PeerStatus#way()] says it. Any thread.
    public String way() {
        return queuePairs.stream()
                .map(QueuePair::way)
                .filter(way -> !way.isEmpty())
                .distinct()
                .collect(Collectors.joining(", "));
    }

    public boolean hasQueuePair(int number) {
        return queuePairs.stream().anyMatch(queuePair -> queuePair.number() == number);
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

    /// The channel is lost: nothing more is taken.
    void markLost() {
        open = false;
    }

    /// The control queue pair's, then the data lanes.
    List<Lane> lanes() {
        return lanes;
    }

    Striping striping() {
        return striping;
    }

    OutgoingRing outgoing() {
        return outgoing;
    }

    RemoteKeys keys() {
        return keys;
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
        return open
                ? striping.await(requestIndex, memory.length(), grant(memory, striping.laneOf(requestIndex), naming))
                : MemoryGrant.LASTING;
    }

    /// Sends a message that names memory for one piece of a content, as [#send(NamedMemory, int, MemoryNaming)] does
    /// for the whole; it comes over one lane, whatever its size, and its immediate is told by that lane.
    ///
    /// @param lane as [#laneOfPiece] says
    public MemoryGrant namePiece(NamedMemory memory, int lane, MemoryNaming naming) {
        return open ? grant(memory, lanes.get(lane), naming) : MemoryGrant.LASTING;
    }

    /// Sends a message about an edge that names memory, as [#send(NamedMemory, int, MemoryNaming)] does; the peer
    /// writes or reads there over the lanes that [#lanesOf] says.
    public MemoryGrant offer(NamedMemory memory, int edge, MemoryNaming naming) {
        return open ? grant(memory, striping.laneOf(Immediate.ofEdge(edge)), naming) : MemoryGrant.LASTING;
    }

    private MemoryGrant grant(NamedMemory memory, Lane lane, MemoryNaming naming) {
        MemoryGrant grant = keys.grant(memory, lane, naming);
        pumpSoon();
        return grant;
    }

    /// Writes a content, into the memory that its request named or, if it is small, as a message in the peer's ring,
    /// unless the processor does not reach it; exactly one of its two methods is called in the end, on the loop.
    public void write(ContentWrite write) {
        if (!write.isOutOfReach() && write.contentBytes() <= ringContentBytes && carries(write.encodedSize())) {
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

    /// Writes a part of a content into the memory that its request named, over one lane; else the same as [#write].
    /// The parts that go over one lane arrive in the order of these calls. The last of each lane that the content
    /// comes by brings the immediate; those before it are silent.
    ///
    /// @param write at most [#chunkBytes()] bytes
    /// @param lane 1 to [#laneCount()]
    public void writePart(ContentWrite write, int lane) {
        // A longer one would take turns with others, and its last byte be written behind what comes later.
        if (write.contentBytes() > chunkBytes) {
            throw new IllegalArgumentException(
                    "a part of " + write.contentBytes() + " bytes; it may have " + chunkBytes + " at most");
        }
        if (open) {
            striping.enqueuePart(write, lane);
            pumpSoon();
        } else {
            write.onAbandoned();
        }
    }

    /// Bytes of the largest single write of a content.
    public int chunkBytes() {
        return chunkBytes;
    }

    /// Whether a content whose message takes so many bytes, its metadata with it, is to be carried by the ring; where
    /// none is, one of no bytes is not either.
    public boolean carries(int messageBytes) {
        return ringContentBytes > 0 && messageBytes <= maxMessageBytes();
    }

    /// Sends a content as a message in the peer's ring; else the same as [#write].
    public void carry(ContentWrite write) {
        if (open) {
            write.goesOverOneLane();
            outgoing.enqueue(write);
            pumpSoon();
        } else {
            write.onAbandoned();
        }
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

    /// The lane by which the content of a request comes, where it comes by one.
    public int laneOf(int requestIndex) {
        return striping.laneOf(requestIndex).index();
    }

    /// The lane by which a piece of the content of a request comes, where it comes in pieces.
    ///
    /// @param piece its number, from 0
    public int laneOfPiece(int requestIndex, int piece) {
        return striping.laneOfPiece(requestIndex, piece).index();
    }

    /// Data lanes of the channel, numbered from 1.
    public int laneCount() {
        return lanes.size() - 1;
    }

    /// Something waits: it is posted before the turn of the loop ends, with what else comes in this turn.
    void pumpSoon() {
        wantsPump = true;
        loop.pumpSoon();
    }

    /// Whether something was added since [#pumped()].
    boolean wantsPump() {
        return wantsPump;
    }

    /// What waits is posted now, as far as may be.
    void pumped() {
        wantsPump = false;
    }

    /// The peer has told by another way that it has lost this channel: ends it here too. What was under way may go on.
    public void onPeerLostIt() {
        onPeerLostIt.run();
    }

    @Override
    public String toString() {
        return "RdmaChannel[" + peer + (open ? "]" : ", lost]");
    }
}
