package io.tensorferry.verbs.channel;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.lane.IncomingRing;
import io.tensorferry.verbs.channel.lane.Lane;
import io.tensorferry.verbs.channel.lane.RemoteKeys;
import io.tensorferry.verbs.channel.lane.WindowGrant;
import io.tensorferry.verbs.channel.lane.WindowPool;
import io.tensorferry.verbs.channel.setup.ChannelContext;
import io.tensorferry.verbs.channel.setup.ChannelEndpoint;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkCompletionHandler;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.choice.PortAddress;
import io.tensorferry.verbs.loop.Pollable;
import io.tensorferry.verbs.loop.Tell;
import io.tensorferry.verbs.loop.TurnBudget;
import io.tensorferry.verbs.statistics.ChannelDescription;
import io.tensorferry.verbs.wire.WorkId;
import io.tensorferry.verbs.wire.WorkKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The life cycle of one channel, from its first receive to its loss: takes completions, posts waiting requests,
/// monitors keepalive, and ends the channel on failure.
///
/// The layers above use its [#channel()] and are notified of its end.
///
/// Owner: the loop.
public final class ChannelLife implements Pollable {
    private static final Logger LOG = LoggerFactory.getLogger(ChannelLife.class);
    private static final int CONTROL = 0;

    private final ChannelContext context;
    private final ChannelEndpoint endpoint;
    private final CompletionQueue completions;
    private final ChannelHandlers handlers;
    private final SuspectedDeath death;
    private final BiConsumer<ChannelLife, ChannelLoss> onLost;
    private final Consumer<ChannelLife> onHeard;
    private final RdmaChannel channel;
    private final String peer;
    private final List<Lane> lanes;
    private final RemoteKeys keys;
    private final Arrivals arrivals;
    private final Departures departures;
    private final Keepalive keepalive;
    private final TurnBudget work = new TurnBudget();
    private final WorkCompletionHandler onCompletion = new OnCompletion();
    private boolean mayWrite;
    // Whether something of the peer has arrived since the last turn.
    private boolean heard;
    private @Nullable ChannelFailure failure;

    /// Takes over a connected endpoint and starts to receive.
    ///
    /// @param mayWrite whether the peer is known to be ready to receive; if not, [#permitWriting()] is called later
    /// @param onLost called once, after the handlers, when the channel is lost
    /// @param onHeard called once, soon after the first arrival from the peer
    public ChannelLife(
            ChannelContext context,
            ChannelEndpoint endpoint,
            ConnectionParameters parameters,
            boolean mayWrite,
            ChannelHandlers handlers,
            SuspectedDeath death,
            BiConsumer<ChannelLife, ChannelLoss> onLost,
            Consumer<ChannelLife> onHeard) {
        this.context = context;
        this.endpoint = endpoint;
        this.completions = endpoint.completionQueue();
        this.handlers = handlers;
        this.death = death;
        this.onLost = onLost;
        this.onHeard = onHeard;
        this.mayWrite = mayWrite;
        this.channel = new RdmaChannel(context, endpoint, parameters, this::onPeerLostIt);
        this.peer = channel.peer();
        this.lanes = channel.lanes();
        this.keys = channel.keys();
        ChannelDescription description = channel.description();
        var incoming = new IncomingRing(endpoint.incoming(), description.ringSlots(), description.slotBytes());
        this.arrivals = new Arrivals(channel, handlers, context.counters(), incoming, work);
        this.departures = new Departures(lanes, channel.outgoing(), keys, context.counters(), work);
        ChannelOptions options = context.options();
        this.keepalive = new Keepalive(
                context.loop(),
                options.keepaliveInterval(),
                options.peerTimeout(),
                options.reconnectTimeout(),
                this::showLife,
                this::onSilent);
        if (mayWrite) {
            keepalive.ready();
        }
        context.counters().opened.increment();
        context.loop().add(this);
    }

    public RdmaChannel channel() {
        return channel;
    }

    /// The local address by which the peer reaches this end.
    public PortAddress address() {
        return endpoint.address();
    }

    /// Whether anything of the peer has arrived.
    public boolean hasHeard() {
        return keepalive.hasHeard();
    }

    /// Permits writes: the peer is ready to receive.
    public void permitWriting() {
        if (!mayWrite && channel.isOpen()) {
            mayWrite = true;
            keepalive.ready();
            channel.pumpSoon();
        }
    }

    @Override
    public void requestNotification() {
        try {
            completions.requestNotification();
        } catch (VerbsException e) {
            onRefused(e);
        }
    }

    /// Takes and handles completions, up to one channel's budget for a turn. Does not return 0 if anything is left.
    @Override
    public int poll() {
        work.begin(TurnBudget.PER_TURN);
        try {
            take();
        } catch (VerbsException e) {
            lose(ChannelFailure.ofCompletionQueue(peer, e));
            return 1;
        }
        int count = work.done();
        if (failure != null) {
            loseIfFailed();
        } else if (count > 0 || channel.wantsPump()) {
            if (heard) {
                heard = false;
                keepalive.heardNow();
            }
            pump();
        }
        return count;
    }

    /// Reads the rest of the slot that the last turn left open, then takes completions.
    ///
    /// @throws VerbsException if the completion queue has failed
    private void take() {
        try {
            ChannelFailure why = arrivals.goOn();
            if (why != null) {
                failure = why;
            }
        } catch (VerbsException e) {
            arrivals.dropSlot();
            onRefused(e);
        } catch (RuntimeException | Error e) {
            onMistake(e);
        }
        completions.poll(Integer.MAX_VALUE, onCompletion);
    }

    @Override
    public void pumpIfWanted() {
        if (channel.wantsPump() && channel.isOpen()) {
            pump();
        }
    }

    private void pump() {
        channel.pumped();
        if (failure != null) {
            return;
        }
        try {
            if (departures.pump(mayWrite)) {
                keepalive.spoke();
            }
            if (departures.hasMore()) {
                channel.pumpSoon();
            }
        } catch (VerbsException e) {
            onRefused(e);
        } catch (RuntimeException e) {
            // The owner of a content's memory may have released it.
            LOG.error("the messages and contents queued for {} could not be sent", peer, e);
            failSoon(ChannelFailure.ofMistake(peer, e));
        }
    }

    private void onRefused(VerbsException e) {
        failSoon(ChannelFailure.ofRefusedCall(peer, e));
    }

    private void failSoon(ChannelFailure why) {
        failWith(why);
        // Not at once: the caller may be in the middle of a poll of the completion queue, or the loop may be iterating
        // over its channels.
        context.loop().execute(this::loseIfFailed);
    }

    private void loseIfFailed() {
        if (failure != null) {
            lose(failure);
        }
    }

    private final class OnCompletion implements WorkCompletionHandler {
        @Override
        public boolean wantsMore() {
            return work.isLeft();
        }

        @Override
        public void onCompletion(WorkCompletion completion) {
            work.spend();
            try {
                dispatch(completion);
            } catch (VerbsException e) {
                arrivals.dropSlot();
                onRefused(e);
            } catch (RuntimeException | Error e) {
                onMistake(e);
            }
        }
    }

    /// An internal error must not end the loop, and with it every other channel.
    private void onMistake(Throwable e) {
        LOG.error("a completion of the channel to {} could not be handled", peer, e);
        arrivals.dropSlot();
        failure = ChannelFailure.ofMistake(peer, e);
    }

    private void dispatch(WorkCompletion completion) {
        long workId = completion.workId();
        WorkKind kind = WorkId.kind(workId);
        int number = WorkId.lane(workId);
        Lane lane = kind == null || number >= lanes.size() ? null : lanes.get(number);
        if (kind == null
                || lane == null
                || (kind != WorkKind.RECEIVE && !lane.posted().contains(workId))) {
            context.counters().unknownCompletions.increment();
            LOG.warn("a completion from {} has the unknown work id {}; it is ignored", peer, workId);
        } else if (completion.status() != WorkStatus.SUCCESS) {
            onFailed(
                    lane,
                    ChannelFailure.ofCompletion(peer, kind, completion.status(), completion.vendorError()),
                    workId);
        } else if (kind == WorkKind.RECEIVE) {
            onReceived(lane, number == CONTROL, completion);
        } else {
            departures.onCompletion(lane, workId);
        }
    }

    /// If a memory window cannot be bound, its requester receives the failure; all other operations may resume over
    /// another channel.
    private void onFailed(Lane lane, ChannelFailure why, long workId) {
        WindowGrant culprit = WorkId.kind(workId) == WorkKind.BIND && !why.reconnectHelps()
                ? lane.posted().grantOf(workId)
                : null;
        failWith(culprit == null ? why : why.forOthers());
        if (culprit != null && culprit.awaitsBindOrRevocation()) {
            keys.onBindFailed(culprit, why.cause());
        }
    }

    private void failWith(ChannelFailure why) {
        failure = failure == null ? why : failure.orBetter(why);
    }

    private void onReceived(Lane lane, boolean control, WorkCompletion completion) {
        if (arrivals.areDistrusted()) {
            return;
        }
        // A peer that writes has connected its queue pairs, so a write that overtakes the exchange's ready message
        // implies it.
        mayWrite = true;
        heard = true;
        if (keepalive.heard()) {
            context.loop().execute(() -> onHeard.accept(this));
        }
        lane.postReceive();
        ChannelFailure why = arrivals.on(lane, control, completion);
        if (why != null) {
            failure = why;
        }
    }

    private void onSilent() {
        ChannelOptions options = context.options();
        String what = mayWrite
                ? "the peer was silent for " + options.peerTimeout()
                : "the peer was not ready after " + options.reconnectTimeout();
        lose(new TransportException(StatusCode.UNAVAILABLE, what, peer, 0, null), true);
    }

    private void showLife() {
        if (!mayWrite) {
            return;
        }
        try {
            departures.showLife();
            channel.pumpSoon();
        } catch (VerbsException e) {
            onRefused(e);
        }
    }

    private void onPeerLostIt() {
        lose(new TransportException(StatusCode.UNAVAILABLE, "the peer has lost the channel", peer, 0, null), true);
    }

    /// Ends the channel for a reason other than a device failure.
    ///
    /// @param mayResume whether the peer, as far as is known, may resume over another channel
    public void lose(TransportException cause, boolean mayResume) {
        lose(ChannelFailure.of(cause, mayResume));
    }

    @Override
    public void fail(Throwable mistake) {
        lose(ChannelFailure.ofMistake(peer, mistake));
    }

    /// Ends the channel: stops traffic, returns everything in flight, notifies the handlers. Has no effect if the
    /// channel is already lost.
    ///
    /// When this returns, the channel accepts nothing more. The rest follows asynchronously, because a device may take
    /// long to end queue pairs: a background thread stops them, the loop takes the completions that had arrived, a
    /// background thread destroys the queue pairs, and the loop notifies the handlers. Each step runs even if an
    /// earlier one throws.
    public void lose(ChannelFailure why) {
        if (!channel.isOpen()) {
            return;
        }
        failure = why;
        channel.markLost();
        keepalive.stop();
        context.loop().remove(this);
        context.offLoop("stop the queue pairs to " + peer, endpoint::stopTraffic, this::takeWhatArrived);
    }

    /// Contents that landed before the end count. One turn takes as much as of an open channel.
    private void takeWhatArrived() {
        work.begin(TurnBudget.PER_TURN);
        try {
            take();
        } catch (RuntimeException | Error e) {
            LOG.debug("the completion queue of the channel to {} could not be drained", peer, e);
            destroy();
            return;
        }
        if (work.done() > 0) {
            context.loop().execute(this::takeWhatArrived);
        } else {
            destroy();
        }
    }

    private void destroy() {
        List<MemoryWindow> windows = new ArrayList<>();
        Tell.one("collect the memory windows of the channel to " + peer, () -> windows.addAll(keys.close()));
        Runnable end = () -> {
            // Before the queue pairs: a device may refuse to destroy a queue pair while a window is bound on it.
            WindowPool.closeAll(windows);
            endpoint.close();
        };
        context.offLoop("destroy the queue pairs to " + peer, end, this::tellTheEnd);
    }

    private void tellTheEnd() {
        boolean quiet = endpoint.isQuiet();
        if (quiet) {
            Tell.one("end the keys of the channel to " + peer, keys::end);
        } else {
            LOG.error("the device keeps a queue pair to {}; the memory of transfers in flight is not reused", peer);
            Tell.one("strand the keys of the channel to " + peer, keys::strand);
            handlers.onMemoryStranded(channel);
        }
        channel.markEnded();
        List<Integer> unconfirmed = new ArrayList<>();
        Tell.one("release the contents in flight to " + peer, () -> unconfirmed.addAll(departures.abandon()));
        // The completions taken since then may have given a more precise reason.
        ChannelFailure end = death.judge(Objects.requireNonNull(failure), channel.peerIncarnation());
        var loss = new ChannelLoss(end.cause(), end.mayGoOn(context.hasFallback()) && quiet, unconfirmed);
        try {
            handlers.onChannelLost(channel, loss);
        } finally {
            onLost.accept(this, loss);
            context.counters().failed.increment();
        }
    }
}
