package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.channel.ChannelHandler;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.ChannelWaiter;
import io.tensorferry.verbs.channel.ProtocolViolationException;
import io.tensorferry.verbs.channel.RdmaAdapter;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.NameId;
import io.tensorferry.verbs.wire.SlotReader;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The rendezvous of all steps of one worker over one adapter: starts the requests of this worker and answers those
/// of its peers.
///
/// Threading: the public methods from any thread; what the adapter tells comes on the loop.
public final class RdmaRendezvousManager implements AutoCloseable {
    /// Pieces of one content that a peer may have named and not got, as an adapter below this is to say: enough that
    /// some are copied while others are written.
    public static final int PIECES_AT_ONCE = 16;

    private static final Logger LOG = LoggerFactory.getLogger(RdmaRendezvousManager.class);

    private final RdmaAdapter adapter;
    private final TransferContext context;
    private final StepTable<RdmaRendezvous> steps;
    private final Map<String, PeerTransfers> peers = new ConcurrentHashMap<>();
    private final @Nullable FallbackPath fallback;
    private final SourcePreparation sources;
    private final ResponsePool responses;

    /// @param adapter the caller starts it with [#handler()], and closes it after this manager
    public RdmaRendezvousManager(RdmaAdapter adapter, WorkerContext worker, RendezvousOptions options) {
        this(adapter, worker, options, Accelerators.none(), null);
    }

    /// @param accelerators opened on the adapter's memory; they end with it
    /// @param fallback where receives go if the adapter's configuration has a fallback; null if there is none
    public RdmaRendezvousManager(
            RdmaAdapter adapter,
            WorkerContext worker,
            RendezvousOptions options,
            Accelerators accelerators,
            @Nullable FallbackPath fallback) {
        this.adapter = adapter;
        this.fallback = fallback;
        this.context = new TransferContext(
                adapter.loop(),
                adapter.workers(),
                adapter.memory(),
                accelerators,
                new MetaDataCache(options.metaDataCacheEntries()),
                options,
                worker.limits().maxTensorBytes(),
                new RendezvousCounters(),
                adapter::withChannel);
        this.steps = new StepTable<>(stepId -> new RdmaRendezvous(stepId, worker, this), worker.limits());
        this.sources = new SourcePreparation(context);
        this.responses = new ResponsePool(context, steps, sources);
    }

    /// What the adapter's channels are to tell.
    public ChannelHandler handler() {
        return new Incoming();
    }

    /// The rendezvous of a step, made when it is first asked for. A step that was closed starts anew.
    public RdmaRendezvous rendezvous(long stepId) {
        return steps.open(stepId);
    }

    /// Ends a step: what waits fails with `ABORTED`, sends that nobody asked for are dropped, their memory goes
    /// back to the pool.
    ///
    /// @return the sends that were dropped
    public int closeStep(long stepId) {
        return steps.close(stepId);
    }

    public RendezvousStatistics statistics() {
        int requests = 0;
        int responses = 0;
        for (PeerTransfers transfers : peers.values()) {
            requests += transfers.requests().size();
            FallbackReceives receives = transfers.fallback();
            requests += receives == null ? 0 : receives.size();
            responses += transfers.responseCount();
        }
        RendezvousCounters counters = context.counters();
        return new RendezvousStatistics(
                steps.openSteps(),
                steps.droppedSends(),
                requests,
                responses,
                counters.coldRequests.sum(),
                counters.warmRequests.sum(),
                counters.reRequests.sum(),
                counters.tensorsReceived.sum(),
                counters.bytesReceived.sum(),
                counters.tensorsSent.sum(),
                counters.bytesSent.sum(),
                counters.tensorsCarried.sum(),
                counters.failedReceives.sum(),
                counters.unregisteredCopies.sum(),
                counters.copiedResults.sum(),
                counters.staleIndexes.sum(),
                counters.checksumMismatches.sum(),
                counters.fallbackReceives.sum(),
                counters.fallbackRequests.sum(),
                context.memory().statistics());
    }

    /// Ends every step; the adapter goes on until it is closed.
    @Override
    public void close() {
        steps.closeAll();
    }

    Accelerators accelerators() {
        return context.accelerators();
    }

    TensorAllocator hostMemory() {
        return context.memory().allocator();
    }

    /// Checks that a tensor which is on an accelerator, or waits for one, can be sent to another worker.
    ///
    /// @throws IllegalArgumentException if this worker was not given that accelerator, or none at all
    void checkLeaves(RendezvousKey key, Tensor tensor) {
        Accelerators known = context.accelerators();
        if (!tensor.device().hostAccessible() && known.of(tensor.device()) == null) {
            throw new IllegalArgumentException(
                    "the tensor of " + key + " is on " + tensor.device() + ", and this server was given "
                            + known
                            + ": give it to TransportServerBuilder.accelerators, or copy the tensor to the host with a DeviceStream");
        }
        if (known.isEmpty()) {
            throw new IllegalArgumentException(
                    "the tensor of " + key + " waits for an event, and this server was given no accelerator: give that"
                            + " of the event to TransportServerBuilder.accelerators, or wait for the event before the send");
        }
    }

    /// A step has ended: tensors of it that were asked for, and whose content is not there yet, are not waited for.
    void endWaits(RdmaRendezvous step, TransportException cause) {
        if (!context.accelerators().isEmpty()) {
            context.loop().execute(() -> sources.endStep(step, cause));
        }
    }

    /// Starts one receive; every failure reaches its callback.
    void request(RemoteReceive receive) {
        PeerTransfers transfers = transfers(receive.peer());
        TensorRequest request;
        try {
            request = TensorRequest.create(context, transfers, receive);
        } catch (TransportException e) {
            receive.complete(new RecvResult.Failed(e));
            return;
        }
        // Before the request reaches the loop: a receive that moves to the fallback is the fallback's to give up.
        receive.onGivenUp(request::giveUp);
        context.loop().execute(request);
    }

    /// A request of `peer` that comes over the fallback, checked to be for a tensor of this worker.
    ///
    /// @param incarnation the life of the peer that asks
    /// @param sent what it says of the channel on which it asked before; null if it never did
    /// @throws TransportException `ABORTED` if this worker has closed the step, or is not the process that was asked
    public StreamedRequest serve(
            String peer, long incarnation, long stepId, RendezvousKey key, @Nullable SentRequest sent) {
        context.counters().fallbackRequests.increment();
        if (sent == null) {
            return streamed(peer, stepId, key);
        }
        if (sent.incarnation() != adapter.incarnation()) {
            throw new TransportException(StatusCode.ABORTED, adapter.workerName() + " was restarted");
        }
        PeerTransfers transfers = transfers(peer);
        return new SentRequestClaim(
                context.loop(),
                () -> {
                    TensorResponse kept = transfers.claim(sent, incarnation);
                    if (kept != null && !kept.isFor(stepId, key)) {
                        throw new ProtocolViolationException(
                                "request index " + sent.requestIndex() + " comes again for another tensor");
                    }
                    return kept;
                },
                () -> streamed(peer, stepId, key));
    }

    private StreamedRequest streamed(String peer, long stepId, RendezvousKey key) {
        return TableRequest.open(steps, peer, stepId, key);
    }

    private PeerTransfers transfers(String peer) {
        PeerTransfers known = peers.get(peer);
        if (known != null) {
            return known;
        }
        return peers.computeIfAbsent(
                peer,
                _ -> new PeerTransfers(
                        fallback == null ? null : new FallbackReceives(fallback, context.loop(), context.counters())));
    }

    /// Wants a channel for a peer that may come back for tensors that are kept for it; where none can be had, they
    /// are dropped, or kept some time longer for a peer that comes over the fallback.
    private record KeptTensors(RdmaAdapter adapter, PeerTransfers transfers) implements ChannelWaiter {
        @Override
        public void onChannel(RdmaChannel channel) {
            // The peer asks again by itself.
        }

        @Override
        public void onNoChannel(TransportException cause) {
            transfers.giveUp(cause);
        }

        @Override
        public void onFallback(TransportException cause) {
            long losses = transfers.losses();
            adapter.schedule(adapter.options().connectTimeout(), () -> {
                // What a later channel has left waits for its own time.
                if (transfers.losses() == losses) {
                    transfers.giveUp(cause);
                }
            });
        }
    }

    /// What the channels bring. On the loop.
    private final class Incoming implements ChannelHandler {
        @Override
        public void onMessage(RdmaChannel channel, Message message) {
            PeerTransfers transfers = transfers(channel.peer());
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
                case Message.TensorContent _ ->
                    throw new ProtocolViolationException("a content changed while it was read");
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
                    throw new IllegalStateException(message + " is not of the rendezvous");
            }
        }

        private static void requirePieces(RdmaChannel channel) {
            if (channel.description().piecesAtOnce() == 0) {
                throw new ProtocolViolationException(
                        "it asks for pieces of a content, and was told that there are none");
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
                        request.on(new RequestState.Event.Refused(
                                new TransportException(status.code(), status.message(), channel.peer(), 0, null)));
                    }
                }
                case TO_SENDER -> {
                    TensorResponse response = transfers.response(status.requestIndex());
                    // None is left if the content was written before the receiver gave up; it confirms by itself.
                    if (response != null) {
                        response.onGivenUp();
                    }
                }
            }
        }

        private void answer(RdmaChannel channel, PeerTransfers transfers, Message.TensorRequest message) {
            PeerName name = read(channel, transfers, message);
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

        /// What the request says of its name; where it gives it a number, that stands for this from now on.
        private PeerName read(RdmaChannel channel, PeerTransfers transfers, Message.TensorRequest message) {
            PeerName name;
            try {
                RendezvousKey key = RendezvousKey.parse(message.key());
                checkParties(key, channel.peer());
                name = PeerName.of(key, message.metaData(), message.wantsChecksum());
            } catch (IllegalArgumentException e) {
                name = PeerName.refused(String.valueOf(e.getMessage()), message.metaData());
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

        private void answer(
                RdmaChannel channel, long stepId, int requestIndex, int nameId, long address, int remoteKey) {
            PeerTransfers transfers = transfers(channel.peer());
            PeerName name = transfers.incomingNames(channel).get(nameId);
            if (name == null) {
                throw new ProtocolViolationException("name id " + nameId + " stands for nothing");
            }
            name.checkDestination(address, remoteKey);
            answer(channel, transfers, name, stepId, requestIndex, address, remoteKey);
        }

        private void answer(
                RdmaChannel channel,
                PeerTransfers transfers,
                PeerName name,
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
                refuse(channel, stepId, requestIndex, e.code(), String.valueOf(e.getMessage()));
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

        /// Goes on with a request that was asked on an earlier channel; returns false if nothing is left of it here,
        /// so that it is to be taken as a new one.
        private boolean answerReplay(RdmaChannel channel, PeerTransfers transfers, Message.TensorRequest message) {
            TransportException refusal = transfers.refusalOfReplay(message.requestIndex());
            TensorResponse kept = transfers.response(message.requestIndex());
            if (kept != null) {
                kept.onReplay(channel, message);
                return true;
            }
            if (refusal != null) {
                refuse(
                        channel,
                        message.stepId(),
                        message.requestIndex(),
                        refusal.code(),
                        String.valueOf(refusal.getMessage()));
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
            PeerTransfers transfers = peers.get(channel.peer());
            TensorRequest request = transfers == null ? null : requestOf(transfers, channel, requestIndex);
            if (request != null) {
                request.onContent(lane);
            }
        }

        @Override
        public void onCarriedContent(RdmaChannel channel, SlotReader message) {
            PeerTransfers transfers = peers.get(channel.peer());
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
            PeerTransfers transfers = transfers(channel.peer());
            transfers.onChannelOpen(channel);
            // Behind what was asked again: the channel was given to those who waited for it before. What is asked again
            // over the fallback the peer must have heard of too.
            FallbackReceives receives = transfers.fallback();
            if (receives == null) {
                channel.send(new Message.Resumed());
            } else {
                receives.whenClaimed(() -> channel.send(new Message.Resumed()));
            }
        }

        @Override
        public void onMemoryStranded(RdmaChannel channel) {
            transfers(channel.peer()).strandMemory(channel);
        }

        @Override
        public void onChannelLost(RdmaChannel channel, ChannelLoss loss) {
            PeerTransfers transfers = transfers(channel.peer());
            if (transfers.onChannelLost(channel, loss)) {
                adapter.withChannel(channel.peer(), new KeptTensors(adapter, transfers));
            }
        }
    }
}
