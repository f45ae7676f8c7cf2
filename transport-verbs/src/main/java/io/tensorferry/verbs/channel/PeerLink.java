package io.tensorferry.verbs.channel;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The way to one peer: sets up a channel when one is wanted, by dialling or by answering the peer's offer, and
/// again after it is lost.
///
/// ```
/// IDLE       -- wanted -->                          DIALLING
/// DIALLING   -- accepted -->                        OPEN (and ready is told)
/// DIALLING   -- the peer yields to its own offer --> EXPECTING its offer; after a while IDLE and again
/// DIALLING   -- unreachable -->                     BACKING_OFF --> DIALLING, until connectTimeout fails who waits
/// any state  -- offer -->                           ANSWERING --> OPEN (writes after ready)
/// DIALLING   -- offer, and this worker's name is the smaller --> yields: stays DIALLING
/// OPEN       -- channel lost -->                    IDLE
/// ```
///
/// Owner: the loop.
final class PeerLink {
    private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);
    private static final long FIRST_BACKOFF_NS = 20_000_000L;
    private static final long LONGEST_BACKOFF_NS = 1_000_000_000L;

    enum State {
        IDLE,
        DIALLING,
        EXPECTING,
        BACKING_OFF,
        ANSWERING,
        OPEN,
        CLOSED
    }

    private final String peer;
    private final AdapterContext context;
    private final ChannelHandler handler;
    private final List<ChannelWaiter> waiters = new ArrayList<>();
    private State state = State.IDLE;
    private @Nullable SetUpAttempt attempt;
    private @Nullable RdmaChannel channel;
    private long openConnectionId;
    // Attempts of this end, and the latest of the peer's that was seen, with the incarnation that it belongs to.
    private long attempts;
    private long latestPeerAttempt;
    private long peerIncarnation;
    private long giveUpAtNs;
    private long backoffNs = FIRST_BACKOFF_NS;
    private CompletionLoop.@Nullable Timer timer;

    PeerLink(String peer, AdapterContext context, ChannelHandler handler) {
        this.peer = peer;
        this.context = context;
        this.handler = handler;
    }

    /// Gives `waiter` the channel, now or when it is open.
    void withChannel(ChannelWaiter waiter) {
        RdmaChannel current = channel;
        if (current != null && current.isOpen()) {
            waiter.onChannel(current);
            return;
        }
        if (state == State.CLOSED) {
            waiter.onNoChannel(closed());
            return;
        }
        waiters.add(waiter);
        if (state == State.IDLE) {
            ChannelOptions options = context.options();
            Duration patience = latestPeerAttempt > 0 ? options.reconnectTimeout() : options.connectTimeout();
            giveUpAtNs = context.loop().nanoTime() + patience.toNanos();
            backoffNs = FIRST_BACKOFF_NS;
            dial();
        }
    }

    private void dial() {
        TransportException refusal = context.health().refusal(peer);
        if (refusal != null && context.health().isBroken()) {
            failWaiters(refusal);
            return;
        } else if (refusal != null) {
            onUnreachable(refusal);
            return;
        }
        SetUpAttempt dialled = begin(State.DIALLING, 1 + context.random().nextLong(Long.MAX_VALUE));
        makeEndpoint(dialled, (endpoint, failure) -> {
            if (endpoint == null) {
                failWaiters(failure);
                return;
            }
            var _ = context.exchange()
                    .offer(peer, endpoint.parameters(dialled.connectionId, dialled.number))
                    .whenComplete((answer, error) -> context.loop().execute(() -> onAnswer(dialled, answer, error)));
        });
    }

    private SetUpAttempt begin(State newState, long connectionId) {
        abandonAttempt();
        state = newState;
        var begun = new SetUpAttempt(connectionId, ++attempts);
        attempt = begun;
        return begun;
    }

    private void abandonAttempt() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        if (attempt != null) {
            attempt.discard();
            attempt = null;
        }
    }

    /// Makes an endpoint on a worker thread and, back on the loop, gives it to `then` if the attempt still counts.
    private void makeEndpoint(SetUpAttempt made, BiConsumer<@Nullable ChannelEndpoint, TransportException> then) {
        context.workers().execute(() -> {
            ChannelEndpoint endpoint = null;
            TransportException failure = null;
            try {
                endpoint = ChannelEndpoint.create(context);
            } catch (RuntimeException e) {
                failure = asEndpointFailure(e);
            }
            ChannelEndpoint result = endpoint;
            TransportException why = failure == null ? closed() : failure;
            context.loop().execute(() -> {
                boolean wanted = result == null ? made == attempt : made.offerEndpoint(result);
                if (wanted) {
                    then.accept(result, why);
                }
            });
        });
    }

    private TransportException asEndpointFailure(RuntimeException e) {
        if (e instanceof TransportException known) {
            return known;
        }
        boolean exhausted = e instanceof VerbsException refused && refused.errno() == VerbsException.ENOMEM;
        return new TransportException(
                exhausted ? StatusCode.RESOURCE_EXHAUSTED : StatusCode.UNAVAILABLE,
                "no endpoint could be made: " + e.getMessage(),
                peer,
                0,
                e);
    }

    private void onAnswer(SetUpAttempt dialled, @Nullable OfferAnswer answer, @Nullable Throwable error) {
        if (dialled != attempt) {
            return;
        }
        switch (answer) {
            case null -> onUnreachable(asTransportException(error));
            case OfferAnswer.Yield() -> expectOffer();
            case OfferAnswer.Accepted(ConnectionParameters parameters) -> {
                try {
                    checkAnswer(dialled, parameters);
                    open(dialled, parameters, true);
                } catch (RuntimeException e) {
                    failWaiters(new TransportException(
                            StatusCode.FAILED_PRECONDITION, "the answer is not usable: " + e.getMessage(), peer, 0, e));
                    return;
                }
                tellReady(dialled.connectionId);
            }
        }
    }

    private void checkAnswer(SetUpAttempt dialled, ConnectionParameters parameters) {
        parameters.validate();
        if (parameters.connectionId() != dialled.connectionId
                || !parameters.hostName().equals(peer)) {
            throw new IllegalArgumentException("it comes from " + parameters.hostName() + " for connection "
                    + Long.toHexString(parameters.connectionId()) + ", expected " + peer + " for "
                    + Long.toHexString(dialled.connectionId));
        }
    }

    private void tellReady(long connectionId) {
        RdmaChannel opened = channel;
        var _ = context.exchange()
                .ready(peer, context.workerName(), context.incarnation(), connectionId)
                .whenComplete((_, error) -> {
                    if (error != null && opened != null) {
                        // Whatever the peer's reason, this channel is of no use; another may be.
                        var cause = new TransportException(
                                StatusCode.UNAVAILABLE,
                                "the peer did not take note that this end is ready",
                                peer,
                                0,
                                asTransportException(error));
                        context.loop().execute(() -> opened.lose(cause));
                    }
                });
    }

    private void expectOffer() {
        abandonAttempt();
        state = State.EXPECTING;
        timer = context.loop().schedule(LONGEST_BACKOFF_NS, this::onNoOffer);
    }

    private void onNoOffer() {
        onUnreachable(new TransportException(
                StatusCode.UNAVAILABLE, "the peer announced an offer that did not come", peer, 0, null));
    }

    private void onUnreachable(TransportException cause) {
        boolean retryable = cause.code() == StatusCode.UNAVAILABLE
                || cause.code() == StatusCode.DEADLINE_EXCEEDED
                || cause.code() == StatusCode.ABORTED;
        if (!retryable || isTimeUp()) {
            failWaiters(cause);
            return;
        }
        abandonAttempt();
        state = State.BACKING_OFF;
        long jitter = context.random().nextLong(backoffNs / 2 + 1);
        timer = context.loop().schedule(backoffNs / 2 + jitter, this::dial);
        backoffNs = Math.min(LONGEST_BACKOFF_NS, backoffNs * 2);
    }

    private boolean isTimeUp() {
        return context.loop().nanoTime() - giveUpAtNs >= 0;
    }

    private void failWaiters(TransportException cause) {
        abandonAttempt();
        state = State.IDLE;
        var failed = List.copyOf(waiters);
        waiters.clear();
        for (ChannelWaiter waiter : failed) {
            waiter.onNoChannel(cause);
        }
    }

    /// The peer dialled.
    void onOffer(ConnectionParameters offer, CompletableFuture<OfferAnswer> reply) {
        if (state == State.CLOSED) {
            reply.completeExceptionally(closed());
            return;
        }
        TransportException refusal = context.health().refusal(context.workerName());
        if (refusal != null) {
            reply.completeExceptionally(refusal);
            return;
        }
        if (isOvertaken(offer)) {
            reply.completeExceptionally(new TransportException(
                    StatusCode.ABORTED, "a later offer or answer overtook this offer", context.workerName(), 0, null));
            return;
        }
        remember(offer);
        if (state == State.DIALLING && context.workerName().compareTo(peer) < 0) {
            reply.complete(new OfferAnswer.Yield());
            return;
        }
        RdmaChannel old = channel;
        if (old != null) {
            boolean restarted = old.peerIncarnation() != offer.incarnation();
            old.lose(new TransportException(
                    restarted ? StatusCode.ABORTED : StatusCode.UNAVAILABLE,
                    restarted ? "the peer was restarted" : "the peer set up a new channel",
                    peer,
                    0,
                    null));
        }
        SetUpAttempt answered = begin(State.ANSWERING, offer.connectionId());
        makeEndpoint(answered, (endpoint, failure) -> {
            if (endpoint == null) {
                reply.completeExceptionally(failure);
                failWaiters(failure);
                return;
            }
            try {
                ConnectionParameters own = endpoint.parameters(offer.connectionId(), answered.number);
                open(answered, offer, false);
                reply.complete(new OfferAnswer.Accepted(own));
            } catch (RuntimeException e) {
                var cause = new TransportException(
                        StatusCode.FAILED_PRECONDITION, "the offer is not usable: " + e.getMessage(), peer, 0, e);
                reply.completeExceptionally(cause);
                failWaiters(cause);
            }
        });
        // The attempt may have been superseded before its endpoint was made; then nobody else would answer.
        answered.onDiscard(() -> reply.completeExceptionally(new TransportException(
                StatusCode.ABORTED, "another offer took the place of this one", context.workerName(), 0, null)));
    }

    private boolean isOvertaken(ConnectionParameters offer) {
        return offer.incarnation() == peerIncarnation && offer.attempt() <= latestPeerAttempt;
    }

    private void remember(ConnectionParameters parameters) {
        peerIncarnation = parameters.incarnation();
        latestPeerAttempt = parameters.attempt();
    }

    private void open(SetUpAttempt done, ConnectionParameters parameters, boolean mayWrite) {
        ChannelEndpoint endpoint = done.takeEndpoint();
        RdmaChannel opened;
        try {
            endpoint.connect(parameters);
            opened = new RdmaChannel(context, endpoint, parameters, mayWrite, handler, this::onLost);
        } catch (RuntimeException e) {
            endpoint.close();
            throw e;
        }
        attempt = null;
        state = State.OPEN;
        remember(parameters);
        openConnectionId = done.connectionId;
        channel = opened;
        LOG.debug(
                "channel to {} is open, {} queue pairs",
                peer,
                endpoint.queuePairs().size());
        var served = List.copyOf(waiters);
        waiters.clear();
        for (ChannelWaiter waiter : served) {
            waiter.onChannel(opened);
        }
    }

    /// The dialling peer is ready to be written to.
    ///
    /// @throws TransportException `NOT_FOUND` if no channel of this number is open
    void onReady(long incarnation, long connectionId) {
        RdmaChannel current = channel;
        if (current == null || openConnectionId != connectionId || current.peerIncarnation() != incarnation) {
            throw new TransportException(
                    StatusCode.NOT_FOUND,
                    "there is no channel of connection " + Long.toHexString(connectionId),
                    peer,
                    0,
                    null);
        }
        current.permitWriting();
    }

    private void onLost(RdmaChannel lost, TransportException cause) {
        if (channel == lost) {
            LOG.info("channel to {} is lost: {}", peer, cause.getMessage());
            channel = null;
            if (state == State.OPEN) {
                state = State.IDLE;
                if (!waiters.isEmpty()) {
                    failWaiters(cause);
                }
            }
        }
    }

    void failChannel(TransportException cause) {
        RdmaChannel current = channel;
        if (current != null) {
            current.lose(cause);
        }
    }

    /// Ends everything; whoever waits fails.
    void close() {
        state = State.CLOSED;
        failChannel(closed());
        failWaiters(closed());
        state = State.CLOSED;
    }

    private TransportException closed() {
        return new TransportException(
                StatusCode.UNAVAILABLE, "the transport of " + context.workerName() + " is stopped", peer, 0, null);
    }

    private TransportException asTransportException(@Nullable Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof TransportException known
                ? known
                : new TransportException(StatusCode.UNAVAILABLE, "the exchange failed: " + cause, peer, 0, cause);
    }
}
