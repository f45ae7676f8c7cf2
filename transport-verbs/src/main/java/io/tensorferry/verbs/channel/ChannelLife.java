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

/// The life of one channel, from its first receive to its loss: takes completions, posts what waits, watches over
/// silence, and ends it when something goes wrong.
///
/// Those above use its [#channel()], and are told of its end.
///
/// Owner: the loop.
public final class ChannelLife implements Pollable {
    private static final Logger LOG = LoggerFactory.getLogger(ChannelLife.class);
    private static final int CONTROL = 0;

    private final ChannelContext context;
    private final ChannelEndpoint endpoint;
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
    // Something of the peer has arrived since the last turn.
    private boolean heard;
    private @Nullable ChannelFailure failure;

    /// Takes over a connected endpoint and starts to receive.
    ///
    /// @param mayWrite whether the peer is known to be ready to receive; otherwise [#permitWriting()] tells later
    /// @param onLost told once, after the handlers, when the channel is lost
    /// @param onHeard told once, soon after the first that came of the peer
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

    /// What the peer reaches this end by.
    public PortAddress address() {
        return endpoint.address();
    }

    /// Whether anything of the peer has arrived.
    public boolean hasHeard() {
        return keepalive.hasHeard();
    }

    /// The peer is ready to receive.
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
            endpoint.completionQueue().requestNotification();
        } catch (VerbsException e) {
            onRefused(e);
        }
    }

    /// Takes completions and acts on them, as much as one channel may in a turn. Does not return 0 if anything is left.
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

    /// Goes on with the slot of messages that the last turn has left, then with completions.
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
        endpoint.completionQueue().poll(Integer.MAX_VALUE, onCompletion);
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
            // Whoever has the memory of a content may have ended its life.
            LOG.error("what waits for the channel to {} could not be sent", peer, e);
            failSoon(ChannelFailure.ofMistake(peer, e));
        }
    }

    private void onRefused(VerbsException e) {
        failSoon(ChannelFailure.ofRefusedCall(peer, e));
    }

    private void failSoon(ChannelFailure why) {
        failWith(why);
        // Not at once: the completion queue may be in the middle of a poll that led here, or the loop among its
        // channels.
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

    /// A mistake of ours must not end the loop, and with it every other channel.
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

    /// Who asked for a window that cannot be bound is told so; all others may go on over another channel.
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
        // Whoever writes has connected its queue pairs: a write that overtakes the exchange's ready says the same.
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

    /// Ends the channel for a reason that is not the device's.
    ///
    /// @param mayResume whether the peer, as far as is known, may go on over another channel
    public void lose(TransportException cause, boolean mayResume) {
        lose(ChannelFailure.of(cause, mayResume));
    }

    @Override
    public void fail(Throwable mistake) {
        lose(ChannelFailure.ofMistake(peer, mistake));
    }

    /// Ends the channel: no more traffic, everything in flight given back, the handlers told. Does nothing if it is
    /// lost already.
    ///
    /// Nothing more is taken for the channel when this returns; the rest follows, because a device may take its time
    /// over the end of queue pairs: a worker stops them, the loop takes what had arrived, a worker destroys them, and
    /// the loop tells those above. Each step runs, whatever the one before it throws.
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

    /// Contents that landed before the end count. As much in one turn as of a channel that is open.
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
        Tell.one("take the memory windows of the channel to " + peer, () -> windows.addAll(keys.close()));
        Runnable end = () -> {
            // Before the queue pairs: a device may keep one as long as a window is bound on it.
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
            LOG.error("the device keeps a queue pair to {}; the memory of what was under way stays out of use", peer);
            Tell.one("strand the keys of the channel to " + peer, keys::strand);
            handlers.onMemoryStranded(channel);
        }
        List<Integer> unconfirmed = new ArrayList<>();
        Tell.one("give back what was sent to " + peer, () -> unconfirmed.addAll(departures.abandon()));
        // What was still to be taken may say more of why.
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
