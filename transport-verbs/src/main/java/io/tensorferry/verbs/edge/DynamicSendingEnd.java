package io.tensorferry.verbs.edge;

import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicSender;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.channel.lane.MemoryNaming;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.OutgoingMessage;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The producer's end of a dynamic edge: announces each tensor, and keeps it until the consumer releases it.
///
/// Owner: the loop.
final class DynamicSendingEnd extends SendingEnd implements DynamicSender {
    private final DynamicEdge edge;
    // The consumer's read grants for the tensors in progress, oldest first.
    private final ArrayDeque<MemoryGrant> grants = new ArrayDeque<>();
    // Whether the rkey of the newest tensor's memory is pending; the next tensor is announced after it.
    private boolean awaitsKey;
    private boolean starting;
    // Number of tensors that the consumer has released but can still read.
    private int revoking;

    DynamicSendingEnd(DynamicEdge edge, EdgeContext context, PeerEdges peer) {
        super(edge.key(), edge.toString(), context, peer);
        this.edge = edge;
    }

    @Override
    public TensorAllocator allocator() {
        return context().memory().readableAllocator();
    }

    @Override
    void check(Tensor tensor) {
        if (!tensor.dataType().isDmaAble()) {
            throw new IllegalArgumentException(
                    "the elements of " + tensor.dataType() + " have no fixed size; " + edge + " cannot carry them");
        }
        if (tensor.byteSize() > edge.largestBytes()) {
            throw new IllegalArgumentException(
                    "a tensor of " + tensor.byteSize() + " bytes exceeds the limit of " + edge);
        }
    }

    @Override
    @Nullable
    MemoryRegion regionOf(long address, long bytes) {
        return context().memory().readableRegionOf(address, bytes);
    }

    @Override
    RegisteredBuffer allocate(long bytes) {
        return context().memory().allocateReadable(bytes);
    }

    @Override
    @Nullable
    String disagreement(RdmaChannel open, Message.Opening offer) {
        if (offer instanceof Message.DynamicOffer other
                && other.slots() == edge.slots()
                && other.largestBytes() == edge.largestBytes()) {
            return open.description().readsAtOnce() > 0
                    ? null
                    : "the channel has no reads, which " + edge + " needs: readsAtOnce is 0";
        }
        return "the ends of " + key() + " disagree: the producer has " + edge + ", the consumer "
                + switch (offer) {
                    case Message.DynamicOffer other ->
                        other.slots() + " slots, up to " + other.largestBytes() + " bytes";
                    case Message.EdgeOffer _ -> "a static edge";
                };
    }

    @Override
    void begin(Message.Opening offer) {
        // An offer of a dynamic edge carries nothing beyond the agreed parameters.
    }

    @Override
    void onCredit(long count) {
        long announced = gone() - (awaitsKey ? 1 : 0);
        if (count < done() || count > announced) {
            throw new ProtocolViolationException("it released " + count + " tensors of edge " + number() + ", expected "
                    + done() + " to " + announced);
        }
        while (done() < count) {
            closeWhenRevoked(completeOldest());
        }
        sendWhatMayGo();
    }

    private void closeWhenRevoked(Tensor tensor) {
        revoking++;
        grants.remove().revoke(() -> {
            revoking--;
            tensor.close();
            onLetGo();
        });
    }

    @Override
    boolean isLettingGo() {
        return revoking > 0;
    }

    /// Drops the tensors not released, because the consumer reads no more.
    @Override
    void onReceiverStopped() {
        while (!grants.isEmpty()) {
            closeWhenRevoked(dropOldest());
        }
    }

    @Override
    boolean mayGo(int alreadyUnderWay) {
        return alreadyUnderWay < edge.slots() && !awaitsKey;
    }

    @Override
    void start(RdmaChannel open, Tensor tensor, long sequence) {
        var metaData = TensorMetaData.of(tensor.dataType(), tensor.shape());
        MemorySegment content = tensor.segment();
        if (content.byteSize() == 0) {
            open.send(new Message.EdgeTensor(number(), sequence, metaData, 0, 0));
            grants.add(MemoryGrant.LASTING);
            return;
        }
        MemoryRegion region = requiredRegion(content.address(), content.byteSize());
        awaitsKey = true;
        starting = true;
        grants.add(open.offer(
                NamedMemory.toRead(region, content.address(), content.byteSize()),
                number(),
                new Announcement(sequence, metaData, content.address())));
        starting = false;
    }

    @Override
    boolean saysLastWordEarly() {
        return !awaitsKey;
    }

    @Override
    void onChannelGone() {
        grants.clear();
        awaitsKey = false;
    }

    /// Announces one tensor to the consumer, once the rkey of its memory is known.
    private final class Announcement implements MemoryNaming {
        private final long sequence;
        private final TensorMetaData metaData;
        private final long address;

        private Announcement(long sequence, TensorMetaData metaData, long address) {
            this.sequence = sequence;
            this.metaData = metaData;
            this.address = address;
        }

        @Override
        public OutgoingMessage message(int remoteKey) {
            awaitsKey = false;
            if (!starting) {
                sendSoon();
            }
            return new Message.EdgeTensor(number(), sequence, metaData, address, remoteKey);
        }

        @Override
        public void onRefused(TransportException cause) {
            awaitsKey = false;
            grants.removeLast();
            removeNewest().close();
            fail(cause);
        }
    }
}
