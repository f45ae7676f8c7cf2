package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.channel.RendezvousHandler;
import io.tensorferry.verbs.config.RendezvousOptions;
import io.tensorferry.verbs.link.RdmaAdapter;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.RendezvousCounters;
import io.tensorferry.verbs.rendezvous.StreamedRequest;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import io.tensorferry.verbs.rendezvous.content.TransferContext;
import io.tensorferry.verbs.rendezvous.fallback.FallbackPath;
import io.tensorferry.verbs.rendezvous.fallback.FallbackReceives;
import io.tensorferry.verbs.rendezvous.fallback.SentRequest;
import io.tensorferry.verbs.rendezvous.table.StepTable;
import io.tensorferry.verbs.rendezvous.table.TableRequest;
import io.tensorferry.verbs.statistics.RendezvousStatistics;
import io.tensorferry.verbs.statistics.StepStatistics;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Manages the rendezvous of all steps of one worker over one adapter: starts the requests of this worker and answers
/// those of its peers.
///
/// Threading: public methods from any thread; events of the adapter arrive on the loop.
public final class RdmaRendezvousManager implements AutoCloseable {
    /// The number of pieces of one content that a peer may have named and not received; the adapter announces it to
    /// peers. It suffices for some pieces to be copied while others are written.
    public static final int PIECES_AT_ONCE = 16;

    private final RdmaAdapter adapter;
    private final TransferContext context;
    private final StepTable<RdmaRendezvous> steps;
    private final PeerTable peers;
    private final SourcePreparation sources;
    private final IncomingTransfers incoming;

    /// @param adapter the caller starts it with [#handler()], and closes it after this manager
    public RdmaRendezvousManager(RdmaAdapter adapter, WorkerContext worker, RendezvousOptions options) {
        this(adapter, worker, options, Accelerators.none(), null);
    }

    /// @param accelerators opened on the adapter's memory; they end with it
    /// @param fallback serves receives if the adapter's configuration has a fallback; null if there is none
    public RdmaRendezvousManager(
            RdmaAdapter adapter,
            WorkerContext worker,
            RendezvousOptions options,
            Accelerators accelerators,
            @Nullable FallbackPath fallback) {
        this.adapter = adapter;
        this.context = new TransferContext(
                adapter.loop(),
                adapter.background(),
                adapter.memory(),
                accelerators,
                options.dataValidation(),
                worker.limits().maxTensorBytes(),
                adapter.mostNamedBytes(),
                new RendezvousCounters());
        this.steps = new StepTable<>(stepId -> new RdmaRendezvous(stepId, worker, this), worker.limits());
        this.sources = new SourcePreparation(context);
        this.peers = new PeerTable(context, adapter, new MetaDataCache(options.metaDataCacheEntries()), fallback);
        this.incoming =
                new IncomingTransfers(adapter, context, steps, peers, new ResponsePool(context, steps, sources));
    }

    /// The handler for the messages and events of the adapter's channels.
    public RendezvousHandler handler() {
        return incoming;
    }

    /// Returns the rendezvous of a step, created on first use. A step that was closed starts anew.
    public RdmaRendezvous rendezvous(long stepId) {
        return steps.open(stepId);
    }

    /// Closes a step: waiting receives fail with `ABORTED`, unclaimed sends are dropped, and their memory returns to
    /// the pool.
    ///
    /// @return the number of sends dropped
    public int closeStep(long stepId) {
        return steps.close(stepId);
    }

    /// Refuses further sends of this worker in a step, and closes the step once every send has been taken by its
    /// receiver and all receives of this worker have ended, at the latest after `timeout`.
    ///
    /// @return as [StepTable#finish]
    public CompletableFuture<Void> finishStep(long stepId, Duration timeout) {
        return steps.finish(stepId, timeout);
    }

    public StepStatistics stepStatistics() {
        return steps.statistics();
    }

    public RendezvousStatistics statistics() {
        int requests = 0;
        int responses = 0;
        for (PeerTransfers transfers : peers.all()) {
            requests += transfers.requests().size();
            FallbackReceives receives = transfers.fallback();
            requests += receives == null ? 0 : receives.size();
            responses += transfers.responseCount();
        }
        RendezvousCounters counters = context.counters();
        StepStatistics named = steps.statistics();
        return new RendezvousStatistics(
                named.open(),
                named.droppedSends(),
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

    /// Closes every step; the adapter continues until it is closed.
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

    /// Checks that a tensor on an accelerator, or with an accelerator event, can be sent to another worker.
    ///
    /// @throws IllegalArgumentException if this worker was not given that accelerator, or no accelerator at all
    void checkLeaves(RendezvousKey key, Tensor tensor) {
        Accelerators known = context.accelerators();
        if (!tensor.device().hostAccessible() && known.of(tensor.device()) == null) {
            throw new IllegalArgumentException(
                    "the tensor of " + key + " is on " + tensor.device() + ", and this server was given "
                            + known
                            + ": add it to TransportServerBuilder.accelerators, or copy the tensor by a DeviceStream");
        }
        if (known.isEmpty()) {
            throw new IllegalArgumentException(
                    "the tensor of " + key + " waits for an event, and this server was given no accelerator: add that"
                            + " of the event to TransportServerBuilder.accelerators, or wait for the event before the send");
        }
    }

    /// Ends the waits for pending content of an ended step's requested tensors.
    void endWaits(RdmaRendezvous step, TransportException cause) {
        if (!context.accelerators().isEmpty()) {
            context.loop().execute(() -> sources.endStep(step, cause));
        }
    }

    /// Starts one receive; every failure reaches its callback.
    void request(RemoteReceive receive) {
        PeerTransfers transfers = peers.of(receive.peer());
        TensorRequest request;
        try {
            request = TensorRequest.create(context, transfers, receive);
        } catch (TransportException e) {
            receive.complete(new RecvResult.Failed(e));
            return;
        }
        // Before the request reaches the loop: a receive that moves to the fallback gets the fallback's give-up action.
        receive.onGivenUp(request::giveUp);
        context.loop().execute(request);
    }

    /// Serves a request of `peer` that comes over the fallback. The caller has checked that its tensor belongs to this
    /// worker.
    ///
    /// @param incarnation the incarnation of the requesting process
    /// @param sent the earlier request on a channel; null if there was none
    /// @throws TransportException `ABORTED` if this worker has closed the step, or has been restarted since the earlier
    ///     request
    public StreamedRequest serve(
            String peer, long incarnation, long stepId, RendezvousKey key, @Nullable SentRequest sent) {
        context.counters().fallbackRequests.increment();
        if (sent == null) {
            return streamed(peer, stepId, key);
        }
        if (sent.incarnation() != adapter.incarnation()) {
            throw new TransportException(StatusCode.ABORTED, adapter.workerName() + " was restarted");
        }
        PeerTransfers transfers = peers.of(peer);
        return new SentRequestClaim(
                claim -> context.loop().execute(() -> transfers.afterLoss(sent, incarnation, claim)),
                () -> {
                    TensorResponse kept = transfers.claim(sent, incarnation);
                    if (kept != null && !kept.isFor(stepId, key)) {
                        throw new ProtocolViolationException(
                                "request index " + sent.requestIndex() + " is repeated for another tensor");
                    }
                    return kept;
                },
                () -> streamed(peer, stepId, key));
    }

    private StreamedRequest streamed(String peer, long stepId, RendezvousKey key) {
        return TableRequest.open(steps, peer, stepId, key);
    }
}
