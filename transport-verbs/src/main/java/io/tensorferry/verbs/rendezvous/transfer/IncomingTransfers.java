package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.RendezvousHandler;
import io.tensorferry.verbs.link.ChannelWaiter;
import io.tensorferry.verbs.link.RdmaAdapter;
import io.tensorferry.verbs.rendezvous.content.TransferContext;
import io.tensorferry.verbs.rendezvous.fallback.FallbackReceives;
import io.tensorferry.verbs.rendezvous.table.StepTable;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.NameId;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import io.tensorferry.verbs.wire.SlotReader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Handles the rendezvous messages of all channels of a worker: answers requests of peers, and passes responses to this
/// worker's requests.
///
/// Owner: the loop.
final class IncomingTransfers implements RendezvousHandler {
    private static final Logger LOG = LoggerFactory.getLogger(IncomingTransfers.class);

    private final RdmaAdapter adapter;
    private final TransferContext context;
    private final StepTable<RdmaRendezvous> steps;
    private final PeerTable peers;
    private final ResponsePool responses;

    IncomingTransfers(
            RdmaAdapter adapter,
            TransferContext context,
            StepTable<RdmaRendezvous> steps,
            PeerTable peers,
            ResponsePool responses) {
        this.adapter = adapter;
        this.context = context;
        this.steps = steps;
        this.peers = peers;
        this.responses = responses;
    }

    /// Opens a channel for a peer that may ask again for kept tensors. If no channel can be opened, the tensors are
    /// dropped; with a fallback they are kept for one more connect timeout.
    private record KeptTensors(RdmaAdapter adapter, PeerTransfers transfers) implements ChannelWaiter {
        @Override
        public void onChannel(RdmaChannel channel) {
            // The peer repeats its requests by itself.
        }

        @Override
        public void onNoChannel(TransportException cause) {
            transfers.giveUp(cause);
        }

        @Override
        public void onFallback(TransportException cause) {
            long losses = transfers.losses();
            adapter.schedule(adapter.options().connectTimeout(), () -> {
                // Tensors kept after the loss of a later channel have their own timeout.
                if (transfers.losses() == losses) {
                    transfers.giveUp(cause);
                }
            });
        }
    }

    @Override
    public void onMessage(RdmaChannel channel, Message message) {
        PeerTransfers transfers = peers.of(channel.peer());
        transfers.onHeard(channel);
        switch (message) {
            case Message.TensorRequest request -> answer(channel, transfers, request);
            case Message.RepeatedRequest request ->
                answer(
                        channel,
                        request.stepId(),
                        request.requestIndex(),
                        request.nameId(),
                        request.address(),
                        request.remoteKey());
            case Message.MetaDataResponse metaData -> {
                TensorRequest request = requestOf(transfers, channel, metaData.requestIndex());
                if (request != null) {
                    request.onMetaData(metaData);
                }
            }
            case Message.TensorContent _ -> throw new ProtocolViolationException("a content changed while it was read");
            case Message.TensorReRequest again -> {
                if (again.inPieces()) {
                    requirePieces(channel);
                }
                TensorResponse response = responseOf(transfers, again);
                if (response != null) {
                    response.onReRequest(again);
                }
            }
            case Message.TensorPiece piece -> {
                requirePieces(channel);
                TensorResponse response = responseOf(transfers, piece);
                if (response != null) {
                    response.onPiece(piece);
                }
            }
            case Message.ErrorStatus status -> onErrorStatus(channel, transfers, status);
            case Message.Resumed _ -> transfers.onResumed();
            case Message.Heartbeat _, Message.OfEdge _, Message.OfPart _ ->
                throw new IllegalStateException(message + " is not a rendezvous message");
        }
    }

    private static void requirePieces(RdmaChannel channel) {
        if (channel.description().piecesAtOnce() == 0) {
            throw new ProtocolViolationException("it requests pieces of a content, but this end serves none");
        }
    }

    private @Nullable TensorResponse responseOf(PeerTransfers transfers, Message.OfRequest message) {
        TensorResponse response = transfers.response(message.requestIndex());
        if (response == null) {
            context.counters().staleIndexes.increment();
        }
        return response;
    }

    private void onErrorStatus(RdmaChannel channel, PeerTransfers transfers, Message.ErrorStatus status) {
        switch (status.direction()) {
            case TO_RECEIVER -> {
                TensorRequest request = requestOf(transfers, channel, status.requestIndex());
                if (request != null) {
                    request.onRefusedByPeer(
                            new TransportException(status.code(), status.message(), channel.peer(), 0, null));
                }
            }
            case TO_SENDER -> {
                TensorResponse response = transfers.response(status.requestIndex());
                // There is no response if the content was written before the receiver gave up; the content itself is
                // the confirmation.
                if (response != null) {
                    response.onGivenUp();
                }
            }
        }
    }

    private void answer(RdmaChannel channel, PeerTransfers transfers, Message.TensorRequest message) {
        ExpectedTensor name = read(channel, transfers, message);
        if (name.key() != null && message.replay() && answerReplay(channel, transfers, message)) {
            return;
        }
        answer(
                channel,
                transfers,
                name,
                message.stepId(),
                message.requestIndex(),
                message.address(),
                message.remoteKey());
    }

    /// Reads the key and metadata of a request. If the request defines a name id, the id stands for them from now on.
    private ExpectedTensor read(RdmaChannel channel, PeerTransfers transfers, Message.TensorRequest message) {
        ExpectedTensor name;
        try {
            RendezvousKey key = RendezvousKey.parse(message.key());
            checkParties(key, channel.peer());
            name = ExpectedTensor.of(key, message.metaData(), message.wantsChecksum());
        } catch (IllegalArgumentException e) {
            name = ExpectedTensor.refused(String.valueOf(e.getMessage()), message.metaData());
        }
        if (message.nameId() != NameId.NONE) {
            transfers.incomingNames(channel).define(message.nameId(), name);
        }
        return name;
    }

    @Override
    public void onRepeatedRequest(RdmaChannel channel, SlotReader message) {
        answer(
                channel,
                message.stepId(),
                message.requestIndex(),
                message.nameId(),
                message.address(),
                message.remoteKey());
    }

    private void answer(RdmaChannel channel, long stepId, int requestIndex, int nameId, long address, int remoteKey) {
        PeerTransfers transfers = peers.of(channel.peer());
        ExpectedTensor name = transfers.incomingNames(channel).get(nameId);
        if (name == null) {
            throw new ProtocolViolationException("name id " + nameId + " is unknown");
        }
        name.checkDestination(address, remoteKey);
        answer(channel, transfers, name, stepId, requestIndex, address, remoteKey);
    }

    private void answer(
            RdmaChannel channel,
            PeerTransfers transfers,
            ExpectedTensor name,
            long stepId,
            int requestIndex,
            long address,
            int remoteKey) {
        if (name.key() == null) {
            refuse(channel, stepId, requestIndex, StatusCode.INVALID_ARGUMENT, name.refusal());
            return;
        }
        if (transfers.response(requestIndex) != null) {
            throw new ProtocolViolationException("request index " + requestIndex + " is in use");
        }
        TensorResponse response = responses.take();
        response.begin(transfers, channel, name, stepId, requestIndex);
        RdmaRendezvous rendezvous;
        try {
            rendezvous = steps.openForPeer(response);
        } catch (TransportException e) {
            response.drop();
            refuse(channel, stepId, requestIndex, e.code(), e.reasonWithDetails());
            return;
        }
        if (rendezvous == null) {
            response.drop();
            refuse(channel, stepId, requestIndex, StatusCode.ABORTED, "step " + stepId + " is closed");
            return;
        }
        transfers.add(response);
        response.start(rendezvous, address, remoteKey);
    }

    /// Continues with a request of an earlier channel; returns false if nothing is left of it here, so that it is a new
    /// request.
    private boolean answerReplay(RdmaChannel channel, PeerTransfers transfers, Message.TensorRequest message) {
        TransportException refusal = transfers.refusalOfReplay(message.requestIndex(), channel);
        TensorResponse kept = transfers.response(message.requestIndex());
        if (kept != null) {
            kept.onReplay(channel, message);
            return true;
        }
        if (refusal != null) {
            refuse(channel, message.stepId(), message.requestIndex(), refusal.code(), refusal.reasonWithDetails());
            return true;
        }
        return false;
    }

    private void checkParties(RendezvousKey key, String peer) {
        if (!key.source().worker().equals(adapter.workerName())) {
            throw new IllegalArgumentException("the producer of " + key + " is not on " + adapter.workerName());
        }
        if (!key.destination().worker().equals(peer)) {
            throw new IllegalArgumentException("the consumer of " + key + " is not on " + peer);
        }
    }

    private void refuse(RdmaChannel channel, long stepId, int requestIndex, StatusCode code, String why) {
        channel.send(new Message.ErrorStatus(stepId, requestIndex, Message.Direction.TO_RECEIVER, code, why));
    }

    @Override
    public void onContent(RdmaChannel channel, int requestIndex, int lane) {
        PeerTransfers transfers = peers.known(channel.peer());
        TensorRequest request = transfers == null ? null : requestOf(transfers, channel, requestIndex);
        if (request != null) {
            request.onContent(lane);
        }
    }

    @Override
    public void onCarriedContent(RdmaChannel channel, SlotReader message) {
        PeerTransfers transfers = peers.known(channel.peer());
        TensorRequest request = transfers == null ? null : requestOf(transfers, channel, message.requestIndex());
        if (request != null) {
            request.onCarriedContent(message);
        }
    }

    private @Nullable TensorRequest requestOf(PeerTransfers transfers, RdmaChannel channel, int index) {
        TensorRequest request = transfers.requests().get(index);
        if (request == null || !request.usesChannel(channel)) {
            context.counters().staleIndexes.increment();
            LOG.debug("{} answered request {}, which has ended", channel.peer(), index);
            return null;
        }
        return request;
    }

    @Override
    public void onChannelOpen(RdmaChannel channel) {
        PeerTransfers transfers = peers.of(channel.peer());
        transfers.onChannelOpen(channel);
        // Sent after the repeated requests: the waiters for the channel got it before. The peer must also have received
        // the requests repeated over the fallback.
        FallbackReceives receives = transfers.fallback();
        if (receives == null) {
            channel.send(new Message.Resumed());
        } else {
            receives.whenClaimed(() -> channel.send(new Message.Resumed()));
        }
    }

    @Override
    public void onMemoryStranded(RdmaChannel channel) {
        peers.of(channel.peer()).strandMemory(channel);
    }

    @Override
    public void onChannelLost(RdmaChannel channel, ChannelLoss loss) {
        PeerTransfers transfers = peers.of(channel.peer());
        if (transfers.onChannelLost(channel, loss)) {
            adapter.withChannel(channel.peer(), new KeptTensors(adapter, transfers));
        }
    }
}
