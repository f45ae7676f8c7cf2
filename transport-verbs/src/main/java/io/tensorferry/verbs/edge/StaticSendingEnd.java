package io.tensorferry.verbs.edge;

import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.ContentWrite;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import org.jspecify.annotations.Nullable;

/// The producer's end of a static edge: writes each tensor into the next place of the memory that the consumer offers.
///
/// A tensor is kept until its write has completed, so that it can be written again over the next channel.
///
/// Owner: the loop.
final class StaticSendingEnd extends SendingEnd implements StaticSender {
    private final StaticEdge edge;
    private final Write[] writes;
    private long address;
    private int remoteKey;
    // Tensors over all channels that the consumer has released.
    private long released;

    StaticSendingEnd(StaticEdge edge, EdgeContext context, PeerEdges peer) {
        super(edge.key(), edge.toString(), context, peer);
        this.edge = edge;
        this.writes = new Write[edge.places()];
        for (int i = 0; i < writes.length; i++) {
            writes[i] = new Write();
        }
    }

    @Override
    void check(Tensor tensor) {
        if (tensor.dataType() != edge.dataType() || !tensor.shape().equals(edge.shape())) {
            throw new IllegalArgumentException(
                    "a " + tensor.dataType() + " tensor of shape " + tensor.shape() + " does not match " + edge);
        }
    }

    @Override
    @Nullable
    MemoryRegion regionOf(long address, long bytes) {
        return context().memory().regionOf(address, bytes);
    }

    @Override
    RegisteredBuffer allocate(long bytes) {
        return context().memory().allocate(bytes);
    }

    @Override
    @Nullable
    String disagreement(RdmaChannel open, Message.Opening offer) {
        boolean credit = edge.reuse() == StaticEdge.Reuse.CREDIT;
        TensorMetaData own = TensorMetaData.of(edge.dataType(), edge.shape());
        if (offer instanceof Message.EdgeOffer other
                && other.metaData().equals(own)
                && other.places() == edge.places()
                && other.credit() == credit) {
            return null;
        }
        return "the ends of " + key() + " disagree: the producer has " + edge + ", the consumer "
                + switch (offer) {
                    case Message.EdgeOffer other ->
                        other.metaData() + ", " + other.places() + " places, "
                                + (other.credit() ? StaticEdge.Reuse.CREDIT : StaticEdge.Reuse.DEPENDENCY);
                    case Message.DynamicOffer _ -> "a dynamic edge";
                };
    }

    @Override
    void begin(Message.Opening offer) {
        var places = (Message.EdgeOffer) offer;
        address = places.address();
        remoteKey = places.remoteKey();
        released = places.received() - places.unreleased();
    }

    @Override
    void onCredit(long count) {
        if (edge.reuse() != StaticEdge.Reuse.CREDIT || count < released || count > gone()) {
            throw new ProtocolViolationException("it released " + count + " tensors of edge " + number() + ", after "
                    + released + " of " + gone() + " sent");
        }
        released = count;
        sendWhatMayGo();
    }

    @Override
    void onReceiverStopped() {
        // Writes in progress land in memory that stays valid until the final status.
    }

    @Override
    boolean mayGo(int alreadyUnderWay) {
        return alreadyUnderWay < writes.length
                && (edge.reuse() == StaticEdge.Reuse.DEPENDENCY || gone() < released + writes.length);
    }

    @Override
    void start(RdmaChannel open, Tensor tensor, long sequence) {
        int place = (int) (sequence % writes.length);
        writes[place].begin(tensor, place);
        open.writeDirectly(writes[place]);
    }

    @Override
    boolean saysLastWordEarly() {
        return false;
    }

    @Override
    boolean isLettingGo() {
        return false;
    }

    @Override
    void onChannelGone() {
        // onAbandoned() was called for every write.
    }

    /// One tensor that is written into a place.
    private final class Write extends ContentWrite {
        private void begin(Tensor tensor, int place) {
            long bytes = edge.tensorBytes();
            int immediate = Immediate.ofEdge(number());
            if (bytes == 0) {
                set(0, 0, 0, 0, 0, immediate);
                return;
            }
            long from = tensor.segment().address();
            MemoryRegion region = requiredRegion(from, bytes);
            set(from, bytes, region.localKey(), address + place * edge.placeBytes(), remoteKey, immediate);
        }

        @Override
        public void onWritten() {
            completeOldest().close();
            sendWhatMayGo();
        }

        @Override
        public void onAbandoned() {
            // The tensor is queued again when the loss of the channel is reported.
        }
    }
}
