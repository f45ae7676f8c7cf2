package io.tensorferry.verbs.edge;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.channel.lane.MemoryNaming;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.OutgoingMessage;
import io.tensorferry.verbs.wire.ProtocolViolationException;

/// The consumer's end of a static edge: offers its memory on each channel, and counts the tensors that land there.
///
/// Owner: the loop, except for the consumer's calls: [#poll], [#take], [#release].
final class StaticReceivingEnd extends ReceivingEnd implements StaticReceiver {
    private final StaticEdge edge;
    private final Places places;
    private final LandedParts parts;
    private final Runnable onReleased = this::sendCredit;
    private volatile long released;
    private MemoryGrant grant = MemoryGrant.LASTING;

    StaticReceivingEnd(StaticEdge edge, EdgeContext context, PeerEdges peer, Places places) {
        super(edge.key(), edge.toString(), context, peer);
        this.edge = edge;
        this.places = places;
        this.parts = new LandedParts(edge.places());
    }

    @Override
    void checkMayTake() {
        if (taken() - released >= edge.places()) {
            throw new IllegalStateException("call release() before the next take() from " + edge);
        }
    }

    @Override
    Tensor arrivedTensor(long sequence) {
        return places.tensor(sequence);
    }

    @Override
    void onTaken() {
        // The place becomes free at the release.
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // Written by the consumer alone.
    public void release() {
        if (released >= taken()) {
            throw new IllegalStateException("no tensor of " + edge + " is taken");
        }
        released++;
        if (isCredited()) {
            context().loop().executeSoonest(onReleased);
        }
    }

    @Override
    void onClosed() {
        places.consumerIsDone();
    }

    @Override
    void sendOffer(RdmaChannel open) {
        parts.begin(open.lanesOf(edge.tensorBytes()), open.laneCount());
        NamedMemory memory = places.named();
        if (memory == null) {
            open.send(offered(0, 0));
            return;
        }
        grant = open.offer(memory, number(), new MemoryNaming() {
            @Override
            public OutgoingMessage message(int remoteKey) {
                return offered(memory.address(), remoteKey);
            }

            @Override
            public void onRefused(TransportException cause) {
                grant = MemoryGrant.LASTING;
                end(cause);
            }
        });
    }

    private Message.EdgeOffer offered(long address, int remoteKey) {
        return new Message.EdgeOffer(
                number(),
                key(),
                TensorMetaData.of(edge.dataType(), edge.shape()),
                edge.places(),
                isCredited(),
                resumes(),
                opening(),
                arrived(),
                (int) (arrived() - saidReleased()),
                address,
                remoteKey);
    }

    @Override
    long come() {
        return arrived();
    }

    @Override
    long mostPossible() {
        return isCredited() ? released + edge.places() : Long.MAX_VALUE;
    }

    @Override
    boolean comesAgain() {
        return false;
    }

    @Override
    void onLastWord() {
        // The status may have overtaken the last tensors.
    }

    @Override
    void onContent(int lane) {
        onAccepted();
        if (!parts.add(lane)) {
            return;
        }
        if (arrived() - released >= edge.places()) {
            if (isCredited()) {
                throw new ProtocolViolationException("it wrote to edge " + number() + " without a credit");
            }
            giveUp(new TransportException(
                    StatusCode.FAILED_PRECONDITION,
                    "tensor " + arrived() + " of " + edge + " was written before tensor " + (arrived() - edge.places())
                            + " was released"));
        }
        onArrived(edge.tensorBytes());
    }

    @Override
    void onTensor(Message.EdgeTensor tensor) {
        throw new ProtocolViolationException("it announced a tensor of the static edge " + number());
    }

    /// Writes in progress land in the edge's memory.
    @Override
    boolean mayLandAfterGivingUp() {
        return true;
    }

    @Override
    boolean isReading() {
        return false;
    }

    @Override
    void onEnding() {
        // The producer has sent its final status, or is gone.
    }

    @Override
    void letGo(Runnable then) {
        MemoryGrant granted = grant;
        grant = MemoryGrant.LASTING;
        granted.revoke(then::run);
    }

    @Override
    void onLetGo() {
        places.peerIsDone();
    }

    @Override
    void onChannelGone() {
        grant = MemoryGrant.LASTING;
    }

    @Override
    long releasable() {
        return released;
    }

    @Override
    long releasedByOffer() {
        return released;
    }

    @Override
    boolean isWorthACredit(long unsaid) {
        return isCredited();
    }

    private boolean isCredited() {
        return edge.reuse() == StaticEdge.Reuse.CREDIT;
    }
}
