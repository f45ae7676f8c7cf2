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

/// A connected channel to one peer: a control queue pair with a ring of messages, and data lanes for contents. Accepts
/// messages and contents to send and memory of the peer to read; [ChannelLife] posts them.
///
/// The channel is open until a failure. Then it is lost for good, and the link to the peer creates another.
///
/// Owner: the loop. Other threads use it through a command.
public final class RdmaChannel {
    private final ChannelDescription description;
    private final String peer;
    private final long peerIncarnation;
    private final long connectionId;
    private final CompletionLoop loop;
    private final Runnable onPeerLostIt;
    private final List<QueuePair> queuePairs;
    private final List<Lane> lanes = new ArrayList<>();
    private final int maxMessageBytes;
    private final int chunkBytes;
    private final int ringContentBytes;
    private final Striping striping;
    private final OutgoingRing outgoing;
    private final RemoteKeys keys;
    private boolean open = true;
    private boolean ended;
    // Whether something was queued since the last turn.
    private boolean wantsPump;

    /// Takes over the queue pairs of a connected endpoint, and posts their receives. For each limit, both ends use the
    /// smaller of their two values.
    ///
    /// @param onPeerLostIt ends the channel because the peer has lost it
    RdmaChannel(ChannelContext context, ChannelEndpoint endpoint, ConnectionParameters peer, Runnable onPeerLostIt) {
        this.description = endpoint.describe(peer);
        this.peer = peer.hostName();
        this.peerIncarnation = peer.incarnation();
        this.loop = context.loop();
        this.onPeerLostIt = onPeerLostIt;
        this.queuePairs = List.copyOf(endpoint.queuePairs());
        this.connectionId = description.connectionId();
        this.maxMessageBytes = (int) Math.min(description.slotBytes(), description.maxWriteBytes());
        int slots = description.ringSlots();
        int receiveDepth = description.receiveDepth();
        this.outgoing =
                new OutgoingRing(endpoint.outgoing(), peer.ring(), slots, description.slotBytes(), maxMessageBytes);
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

    /// The parameters that both ends agreed on.
    public ChannelDescription description() {
        return description;
    }

    /// The current path of requests to the peer, in the format of [io.tensorferry.verbs.statistics.PeerStatus#way()].
    /// Any thread.
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

    /// The peer's worker name, such as `/job:worker/replica:0/task:1`.
    public String peer() {
        return peer;
    }

    /// The incarnation of the peer's process that this channel leads to.
    public long peerIncarnation() {
        return peerIncarnation;
    }

    /// The dialling end's number of this channel.
    public long connectionId() {
        return connectionId;
    }

    public boolean isOpen() {
        return open;
    }

    /// Marks the channel lost: it posts nothing more. Contents and reads are still queued until [#markEnded()]: their
    /// owners may have other work posted, and learn that the device has released its memory when all is returned.
    void markLost() {
        open = false;
    }

    /// Marks the channel ended: contents and reads are returned at once.
    void markEnded() {
        ended = true;
    }

    /// The control queue pair's lane, then the data lanes.
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

    /// Whether a message fits in a slot of the peer's ring and in one write. Only a message with a long rendezvous key
    /// does not.
    public boolean fits(OutgoingMessage message) {
        return message.shortestSize() <= maxMessageBytes;
    }

    /// Sends a control message, in order. A lost channel drops it.
    ///
    /// @throws IllegalArgumentException if the message does not fit
    public void send(OutgoingMessage message) {
        if (!fits(message)) {
            throw new IllegalArgumentException(
                    "the message takes " + message.encodedSize() + " bytes; the limit is " + maxMessageBytes);
        }
        if (open) {
            outgoing.enqueue(message);
            pumpSoon();
        }
    }

    /// Sends a control message that names memory to the peer, in order with the others, once the peer's rkey opens that
    /// memory. A lost channel drops it. The content arrives over the lane of `requestIndex`, or over all lanes.
    ///
    /// @return the grant that the caller revokes before the memory is reused; not needed after the loss of the channel
    public MemoryGrant send(NamedMemory memory, int requestIndex, MemoryNaming naming) {
        return open
                ? striping.await(requestIndex, memory.length(), grant(memory, striping.laneOf(requestIndex), naming))
                : MemoryGrant.LASTING;
    }

    /// Sends a message that names memory for one piece of a content, as [#send(NamedMemory, int, MemoryNaming)] does
    /// for a whole content. The piece arrives over one lane regardless of its size, and the immediate is reported with
    /// that lane.
    ///
    /// @param lane the lane that [#laneOfPiece] returns
    public MemoryGrant namePiece(NamedMemory memory, int lane, MemoryNaming naming) {
        return open ? grant(memory, lanes.get(lane), naming) : MemoryGrant.LASTING;
    }

    /// Sends a message about an edge that names memory, as [#send(NamedMemory, int, MemoryNaming)] does. The peer
    /// writes or reads that memory over [#lanesOf] lanes.
    public MemoryGrant offer(NamedMemory memory, int edge, MemoryNaming naming) {
        return open ? grant(memory, striping.laneOf(Immediate.ofEdge(edge)), naming) : MemoryGrant.LASTING;
    }

    private MemoryGrant grant(NamedMemory memory, Lane lane, MemoryNaming naming) {
        MemoryGrant grant = keys.grant(memory, lane, naming);
        pumpSoon();
        return grant;
    }

    /// Writes a content into the memory that its request named. A small content that the processor can read is sent as
    /// a message in the peer's ring instead. Exactly one of [ContentWrite#onWritten()] and [ContentWrite#onAbandoned()]
    /// is called in the end, on the loop.
    public void write(ContentWrite write) {
        if (!write.isOutOfReach() && write.contentBytes() <= ringContentBytes && carries(write.encodedSize())) {
            carry(write);
        } else {
            writeDirectly(write);
        }
    }

    /// Writes a content into the memory that its request or its edge named, never through the ring; otherwise like
    /// [#write].
    public void writeDirectly(ContentWrite write) {
        if (ended) {
            write.onAbandoned();
        } else {
            striping.enqueue(write);
            pumpSoon();
        }
    }

    /// Writes a part of a content into the memory that its request named, over one lane; otherwise like [#write]. The
    /// parts that use one lane arrive in the order of these calls. On each lane of the content, the last part carries
    /// the immediate; those before it are silent.
    ///
    /// @param write at most [#chunkBytes()] bytes
    /// @param lane 1 to [#laneCount()]
    /// @throws IllegalArgumentException if `write` is longer
    public void writePart(ContentWrite write, int lane) {
        // A longer part would alternate with others, and its last byte would be written after later parts.
        if (write.contentBytes() > chunkBytes) {
            throw new IllegalArgumentException(
                    "a content part of " + write.contentBytes() + " bytes exceeds the limit of " + chunkBytes);
        }
        if (ended) {
            write.onAbandoned();
        } else {
            striping.enqueuePart(write, lane);
            pumpSoon();
        }
    }

    /// Size in bytes of the largest single write of a content.
    public int chunkBytes() {
        return chunkBytes;
    }

    /// Whether the ring carries a content whose message, metadata included, has `messageBytes` bytes. If ring contents
    /// are disabled, it does not carry empty contents either.
    public boolean carries(int messageBytes) {
        return ringContentBytes > 0 && messageBytes <= maxMessageBytes;
    }

    /// Sends a content as a message in the peer's ring; otherwise like [#write].
    public void carry(ContentWrite write) {
        if (ended) {
            write.onAbandoned();
        } else {
            write.goesOverOneLane();
            outgoing.enqueue(write);
            pumpSoon();
        }
    }

    /// Reads memory that the peer has granted, over this channel, to this lane. Exactly one of [ReadBatch#onRead()] and
    /// [ReadBatch#onAbandoned()] is called in the end, on the loop.
    ///
    /// @param lane 1 to [#laneCount()]
    /// @throws IllegalStateException if [ChannelDescription#readsAtOnce()] is 0
    public void read(ReadBatch batch, int lane) {
        requireReads();
        if (ended) {
            batch.onAbandoned();
        } else {
            lanes.get(lane).enqueue(batch);
            pumpSoon();
        }
    }

    /// Reads a content that the peer has announced for an edge, over the lanes that a write of this size would use.
    /// Exactly one of the read's two callbacks is called in the end, on the loop.
    ///
    /// @throws IllegalStateException if [ChannelDescription#readsAtOnce()] is 0
    public void read(ContentRead read, int edge) {
        requireReads();
        if (ended) {
            read.onContentAbandoned();
        } else {
            striping.enqueue(read, Immediate.ofEdge(edge));
            pumpSoon();
        }
    }

    private void requireReads() {
        if (description.readsAtOnce() == 0) {
            throw new IllegalStateException("the channel to " + peer + " has no reads: readsAtOnce is 0");
        }
    }

    /// The number of lanes that a content of this size uses: 1, or all, each with its own immediate.
    public int lanesOf(long bytes) {
        return striping.lanesOf(bytes);
    }

    /// The lane of a request's content, if it uses one lane.
    public int laneOf(int requestIndex) {
        return striping.laneOf(requestIndex).index();
    }

    /// The lane of a piece of a request's content, if it is sent in pieces.
    ///
    /// @param piece number of the piece, from 0
    public int laneOfPiece(int requestIndex, int piece) {
        return striping.laneOfPiece(requestIndex, piece).index();
    }

    /// Number of data lanes; they are numbered from 1.
    public int laneCount() {
        return lanes.size() - 1;
    }

    /// Schedules the posting of queued work before the turn of the loop ends, together with the turn's other work.
    void pumpSoon() {
        wantsPump = true;
        loop.pumpSoon();
    }

    /// Whether something was queued since [#pumped()].
    boolean wantsPump() {
        return wantsPump;
    }

    /// Clears [#wantsPump()], because queued work is posted now.
    void pumped() {
        wantsPump = false;
    }

    /// Ends the channel after the peer has reported its loss by another path. Operations in progress may resume.
    public void onPeerLostIt() {
        onPeerLostIt.run();
    }

    @Override
    public String toString() {
        return "RdmaChannel[" + peer + (open ? "]" : ", lost]");
    }
}
