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

/// The rendezvous of all steps of one worker over one adapter: starts the requests of this worker and answers those
/// of its peers.
///
/// Threading: the public methods from any thread; what the adapter tells comes on the loop.
public final class RdmaRendezvousManager implements AutoCloseable {
    /// Pieces of one content that a peer may have named and not got, as an adapter below this is to say: enough that
    /// some are copied while others are written.
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
    /// @param fallback where receives go if the adapter's configuration has a fallback; null if there is none
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
                options,
                worker.limits().maxTensorBytes(),
                adapter.mostNamedBytes(),
                new RendezvousCounters());
        this.steps = new StepTable<>(stepId -> new RdmaRendezvous(stepId, worker, this), worker.limits());
        this.sources = new SourcePreparation(context);
        this.peers = new PeerTable(context, adapter, new MetaDataCache(options.metaDataCacheEntries()), fallback);
        this.incoming =
                new IncomingTransfers(adapter, context, steps, peers, new ResponsePool(context, steps, sources));
    }

    /// What the adapter's channels are to tell.
    public RendezvousHandler handler() {
        return incoming;
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

    /// Takes no more sends of this worker in a step, and closes it when all that were sent are with whoever asked for
    /// them and all receives of this worker have ended; when `timeout` has passed at the latest.
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
        PeerTransfers transfers = peers.of(receive.peer());
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
        PeerTransfers transfers = peers.of(peer);
        return new SentRequestClaim(
                claim -> context.loop().execute(() -> transfers.afterLoss(sent, incarnation, claim)),
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
}
