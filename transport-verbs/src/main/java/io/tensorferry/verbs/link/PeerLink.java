package io.tensorferry.verbs.link;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelHandlers;
import io.tensorferry.verbs.channel.ChannelLife;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.SuspectedDeath;
import io.tensorferry.verbs.channel.setup.ChannelContext;
import io.tensorferry.verbs.channel.setup.ChannelEndpoint;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.loop.CompletionLoop;
import io.tensorferry.verbs.statistics.PeerStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The link to one peer: sets up a channel when one is requested, by dialling or by answering the peer's offer, and
/// again after its loss.
///
/// ```
/// IDLE       -- wanted -->                          DIALLING
/// DIALLING   -- accepted -->                        OPEN (ready is sent)
/// DIALLING   -- the peer yields to its own offer --> EXPECTING its offer; on timeout BACKING_OFF
/// DIALLING   -- unreachable -->                     BACKING_OFF --> DIALLING, until connectTimeout fails the waiters
/// any state  -- offer -->                           ANSWERING --> OPEN (writes after ready)
/// DIALLING   -- offer, and this worker's name is the smaller --> yields: stays DIALLING
/// OPEN       -- channel lost -->                    IDLE; BACKING_OFF with waiters left or after a fallback
/// ```
///
/// If the configuration has a fallback, waiters that time out are sent to it instead of failing. So are later waiters,
/// until a channel is open and something of the peer has arrived on it. Meanwhile the link continues through the same
/// states with longer pauses, and stays IDLE while nothing requests the peer.
///
/// A lost channel takes a while to end. No other channel is set up before its handlers have been notified, because they
/// handle one channel of a peer at a time.
///
/// Owner: the loop.
final class PeerLink {
    private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);
    private static final long LONGEST_BACKOFF_NS = 1_000_000_000L;
    private static final long LONGEST_FALLBACK_BACKOFF_NS = 5_000_000_000L;
    // Extra time for a call in progress when the limit expires, because its own failure gives a more precise reason.
    private static final long GRACE_NS = 1_000_000_000L;

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
    private final LinkContext shared;
    private final ChannelContext context;
    private final ChannelHandlers handlers;
    private final LinkFailures failures;
    private final ChannelQueue waiters;
    private State state = State.IDLE;
    private @Nullable SetUpAttempt attempt;
    private @Nullable ChannelLife life;
    private long openConnectionId;
    private long epoch;
    // Why the last channel ended or was not set up, and whether the waiters received that failure.
    private @Nullable TransportException failure;
    private boolean down;
    private final FallbackUse fallback;
    // Number of this end's attempts; the peer's latest attempt seen, and its incarnation.
    private long attempts;
    private long latestPeerAttempt;
    private long peerIncarnation;
    private final Backoff backoff = new Backoff();
    private final SuspectedDeath death = new SuspectedDeath();
    private CompletionLoop.@Nullable Timer timer;
    // Continuation for the end of the lost channel; null if there is none.
    private @Nullable Runnable afterEnd;
    // Runs while a waiter is queued, or was queued since the set-up began, regardless of the call in progress. It
    // continues while a channel is open until the first arrival from the peer, because a set-up that succeeds over a
    // network that delivers no packets yields no usable channel.
    private final Patience patience;
    // The latest obstacle since a waiter was first queued.
    private @Nullable TransportException obstacle;

    PeerLink(String peer, LinkContext shared, ChannelHandlers handlers) {
        this.peer = peer;
        this.shared = shared;
        this.context = shared.channels();
        this.handlers = handlers;
        this.failures = new LinkFailures(peer, context.workerName());
        this.waiters = new ChannelQueue(context.counters());
        this.fallback = new FallbackUse(peer, context);
        this.patience = new Patience(context.loop(), this::onTooLate);
    }

    /// Gives `waiter` the channel, now or when it is open.
    void withChannel(ChannelWaiter waiter) {
        if (state == State.CLOSED) {
            waiter.onNoChannel(failures.stopped());
            return;
        }
        if (fallback.isInUse()) {
            fallback.want();
            if (state == State.IDLE) {
                dialLater();
            }
            waiter.onFallback(failure == null ? failures.noChannel("the fallback is in use", null) : failure);
            return;
        }
        ChannelLife current = life;
        if (current != null && current.channel().isOpen()) {
            waiter.onChannel(current.channel());
            return;
        }
        waiters.add(waiter);
        if (state == State.IDLE) {
            obstacle = null;
            startPatience();
            dial();
        } else if (!patience.isRunning()) {
            startPatience();
        }
    }

    /// Removes `waiter`, if it is queued. The set-up continues: another waiter may follow soon, and must not restart
    /// with the shortest pause.
    void withdraw(ChannelWaiter waiter) {
        waiters.remove(waiter);
    }

    private void startPatience() {
        ChannelOptions options = context.options();
        startPatience(latestPeerAttempt > 0 ? options.reconnectTimeout() : options.connectTimeout());
    }

    private void startPatience(Duration limit) {
        if (!fallback.isInUse()) {
            backoff.reset();
        }
        patience.start(limit);
    }

    private void onTooLate() {
        ChannelLife current = life;
        if (current != null && current.hasHeard()) {
            patience.stop();
            return;
        }
        if (state == State.DIALLING && !patience.isExtended()) {
            patience.extend(GRACE_NS);
            return;
        }
        TransportException cause = failures.noChannel("no channel within " + patience.limit(), obstacle);
        if (current != null) {
            current.lose(cause, context.hasFallback());
        }
        failWaiters(cause);
    }

    private void changeState(State newState) {
        state = newState;
        PeerStatus.State status = status();
        RdmaChannel channel = life != null && status == PeerStatus.State.OPEN ? life.channel() : null;
        shared.peers().put(peer, status, epoch, channel, failure);
    }

    private PeerStatus.State status() {
        if (fallback.isInUse() && state != State.CLOSED) {
            return PeerStatus.State.FALLBACK;
        }
        return switch (state) {
            case IDLE -> down ? PeerStatus.State.DOWN : PeerStatus.State.IDLE;
            case DIALLING, EXPECTING, BACKING_OFF, ANSWERING ->
                epoch == 0 ? PeerStatus.State.CONNECTING : PeerStatus.State.RECOVERING;
            case OPEN -> PeerStatus.State.OPEN;
            case CLOSED -> PeerStatus.State.DOWN;
        };
    }

    private void dial() {
        if (life != null) {
            changeState(State.BACKING_OFF);
            afterEnd = this::dial;
            return;
        }
        TransportException refusal = shared.health().refusal(peer);
        if (refusal != null && shared.health().isBroken()) {
            failWaiters(refusal);
            return;
        } else if (refusal != null) {
            onUnreachable(refusal);
            return;
        }
        SetUpAttempt dialled = begin(State.DIALLING, 1 + context.random().nextLong(Long.MAX_VALUE));
        dialled.makeEndpoint((endpoint, failure) -> {
            if (endpoint == null) {
                onUnreachable(failure);
                return;
            }
            var _ = shared.exchange()
                    .offer(peer, endpoint.parameters(dialled.connectionId, dialled.number))
                    .whenComplete((answer, error) -> context.loop().execute(() -> onAnswer(dialled, answer, error)));
        });
    }

    private SetUpAttempt begin(State newState, long connectionId) {
        abandonAttempt();
        changeState(newState);
        var begun = new SetUpAttempt(connectionId, ++attempts, shared.health().addressEvents(), context, failures);
        attempt = begun;
        return begun;
    }

    private void abandonAttempt() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        afterEnd = null;
        if (attempt != null) {
            attempt.discard();
            attempt = null;
        }
    }

    private void onAnswer(SetUpAttempt dialled, @Nullable OfferAnswer answer, @Nullable Throwable error) {
        if (dialled != attempt) {
            return;
        }
        switch (answer) {
            case null -> onUnreachable(failures.ofCall(error));
            case OfferAnswer.Yield() -> expectOffer();
            case OfferAnswer.Accepted(ConnectionParameters parameters) -> {
                try {
                    dialled.checkAnswer(peer, parameters);
                } catch (RuntimeException e) {
                    onUnreachable(failures.ofSetUp("the answer is not usable", e));
                    return;
                }
                connect(dialled, parameters, true, unusable -> {
                    if (unusable == null) {
                        tellReady(dialled.connectionId);
                    } else {
                        onUnreachable(failures.ofSetUp("the answer is not usable", unusable));
                    }
                });
            }
        }
    }

    private void tellReady(long connectionId) {
        ChannelLife opened = life;
        var _ = shared.exchange()
                .ready(peer, context.workerName(), context.incarnation(), connectionId)
                .whenComplete((_, error) -> {
                    if (error != null && opened != null) {
                        // The channel is unusable regardless of the reason; another may work.
                        TransportException cause = failures.unavailable(
                                "the peer did not acknowledge that this end is ready", failures.ofCall(error));
                        context.loop().execute(() -> opened.lose(cause, true));
                    }
                });
    }

    private void expectOffer() {
        abandonAttempt();
        changeState(State.EXPECTING);
        timer = context.loop().schedule(LONGEST_BACKOFF_NS, this::onNoOffer);
    }

    private void onNoOffer() {
        onUnreachable(failures.unavailable("the peer announced an offer that did not arrive", null));
    }

    private void onUnreachable(TransportException cause) {
        if (!fallback.isInUse()
                && (!LinkFailures.isRetryable(cause) || !patience.isRunning() || patience.isExtended())) {
            failWaiters(cause);
            return;
        }
        obstacle = cause;
        dialLater();
    }

    private void dialLater() {
        abandonAttempt();
        long longestNs = LONGEST_BACKOFF_NS;
        if (fallback.isInUse()) {
            longestNs = LONGEST_FALLBACK_BACKOFF_NS;
            if (fallback.isUnwanted()) {
                changeState(State.IDLE);
                return;
            }
        }
        changeState(State.BACKING_OFF);
        timer = context.loop().schedule(backoff.next(longestNs, context.random()), this::dial);
    }

    /// Sends all waiters to the fallback, or fails them if none is configured.
    private void failWaiters(TransportException cause) {
        // Also if the waiters have left meanwhile.
        boolean wanted = patience.isRunning();
        patience.stop();
        abandonAttempt();
        failure = cause;
        if (context.hasFallback() && state != State.CLOSED && (fallback.isInUse() || wanted)) {
            fallback.begin(cause);
            dialLater();
            waiters.drain(waiter -> waiter.onFallback(cause));
            return;
        }
        down = true;
        changeState(State.IDLE);
        waiters.drain(waiter -> waiter.onNoChannel(cause));
    }

    /// Marks the channel usable after the first arrival from the peer.
    private void onHeard(ChannelLife current) {
        if (life != current || !current.channel().isOpen()) {
            return;
        }
        patience.stop();
        if (fallback.isInUse()) {
            fallback.end();
            changeState(state);
        }
    }

    /// Handles an offer: the peer has dialled.
    void onOffer(ConnectionParameters offer, CompletableFuture<OfferAnswer> reply) {
        if (state == State.CLOSED) {
            reply.completeExceptionally(failures.stopped());
            return;
        }
        TransportException refusal = shared.health().refusal(context.workerName());
        if (refusal != null) {
            reply.completeExceptionally(refusal);
            return;
        }
        if (isOvertaken(offer)) {
            reply.completeExceptionally(failures.overtaken("a later offer or answer superseded this offer"));
            return;
        }
        remember(offer);
        if (patience.isLongerThan(context.options().reconnectTimeout())) {
            // The waiters now wait for a peer that has started.
            startPatience();
        }
        if (state == State.DIALLING && context.workerName().compareTo(peer) < 0) {
            reply.complete(new OfferAnswer.Yield());
            return;
        }
        ChannelLife old = life;
        if (old != null) {
            boolean restarted = old.channel().peerIncarnation() != offer.incarnation();
            old.lose(failures.replaced(restarted), !restarted);
        }
        SetUpAttempt answered = begin(State.ANSWERING, offer.connectionId());
        // The attempt may be superseded before its endpoint is connected; nothing else would then answer the offer.
        answered.onDiscard(
                () -> reply.completeExceptionally(failures.overtaken("another offer superseded this offer")));
        if (life == null) {
            answer(answered, offer, reply);
        } else {
            afterEnd = () -> answer(answered, offer, reply);
        }
    }

    private void answer(SetUpAttempt answered, ConnectionParameters offer, CompletableFuture<OfferAnswer> reply) {
        answered.makeEndpoint((endpoint, failure) -> {
            if (endpoint == null) {
                reply.completeExceptionally(failure);
                onUnreachable(failure);
                return;
            }
            ConnectionParameters own = endpoint.parameters(offer.connectionId(), answered.number);
            connect(answered, offer, false, unusable -> {
                if (unusable == null) {
                    reply.complete(new OfferAnswer.Accepted(own));
                } else {
                    TransportException cause = failures.ofSetUp("the offer is not usable", unusable);
                    reply.completeExceptionally(cause);
                    onUnreachable(cause);
                }
            });
        });
    }

    private boolean isOvertaken(ConnectionParameters offer) {
        return offer.incarnation() == peerIncarnation && offer.attempt() <= latestPeerAttempt;
    }

    private void remember(ConnectionParameters parameters) {
        peerIncarnation = parameters.incarnation();
        latestPeerAttempt = parameters.attempt();
    }

    private void connect(
            SetUpAttempt connecting,
            ConnectionParameters parameters,
            boolean mayWrite,
            Consumer<@Nullable Throwable> then) {
        connecting.connect(parameters, endpoint -> open(connecting, endpoint, parameters, mayWrite), then);
    }

    private void open(SetUpAttempt done, ChannelEndpoint endpoint, ConnectionParameters parameters, boolean mayWrite) {
        var begun =
                new ChannelLife(context, endpoint, parameters, mayWrite, handlers, death, this::onLost, this::onHeard);
        done.succeed();
        attempt = null;
        remember(parameters);
        openConnectionId = done.connectionId;
        life = begun;
        RdmaChannel opened = begun.channel();
        epoch++;
        down = false;
        changeState(State.OPEN);
        if (fallback.isInUse()) {
            startPatience(context.options().reconnectTimeout());
        }
        LOG.debug("channel to {} is open: {}", peer, opened.description());
        waiters.drain(waiter -> waiter.onChannel(opened));
        handlers.onChannelOpen(opened);
        shared.health().onOpen(begun, done.addressEvents);
    }

    /// Permits writes on the open channel, because the dialling peer is ready to receive.
    ///
    /// @throws TransportException `NOT_FOUND` if no channel with this id is open
    void onReady(long incarnation, long connectionId) {
        ChannelLife current = life;
        if (current == null
                || openConnectionId != connectionId
                || current.channel().peerIncarnation() != incarnation) {
            throw new TransportException(
                    StatusCode.NOT_FOUND,
                    "there is no channel of connection " + Long.toHexString(connectionId),
                    peer,
                    0,
                    null);
        }
        current.permitWriting();
    }

    private void onLost(ChannelLife lost, ChannelLoss loss) {
        shared.health().onEnd(lost);
        if (life != lost) {
            return;
        }
        LOG.info("channel to {} is lost: {}", peer, loss.cause().getMessage());
        life = null;
        failure = loss.cause();
        obstacle = loss.cause();
        if (state != State.OPEN) {
            Runnable next = afterEnd;
            afterEnd = null;
            if (next != null) {
                next.run();
            }
            return;
        }
        if (fallback.isInUse()) {
            patience.stop();
            dialLater();
        } else if (waiters.isEmpty()) {
            patience.stop();
            changeState(State.IDLE);
        } else {
            // The rest of the first set-up's time is too long for a peer that has already answered.
            if (lost.hasHeard()
                    || !patience.isRunning()
                    || patience.isLongerThan(context.options().reconnectTimeout())) {
                startPatience();
            }
            dialLater();
        }
    }

    /// @param mayResume whether the peer may resume over another channel
    void failChannel(TransportException cause, boolean mayResume) {
        ChannelLife current = life;
        if (current != null) {
            current.lose(cause, mayResume);
        }
    }

    /// Closes the link: ends the channel and fails all waiters.
    void close() {
        state = State.CLOSED;
        failChannel(failures.stopped(), false);
        failWaiters(failures.stopped());
        changeState(State.CLOSED);
    }
}
