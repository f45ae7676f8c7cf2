package io.tensorferry.verbs.edge;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.EdgeReceiver;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.link.ChannelWaiter;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// The consumer's end of one edge of either kind: offers the edge on each channel, counts arrivals, and reports
/// releases.
///
/// ```
/// (no channel) -- channel open -->                 offered
/// offered      -- accepted -->                     open: tensors arrive
/// offered, open -- channel lost, resumable -->     (no channel)
/// offered, open -- this end ends the edge -->      given up: the producer is notified
/// any          -- final status received and all tensors arrived; or no channel available --> ended
/// ```
///
/// Owner: the loop, except for the consumer's calls: [#poll], [#take]. [PublishedTensors] stands between the two.
abstract class ReceivingEnd implements EdgeReceiver {
    private static final long ENDED = Long.MAX_VALUE;

    private final RendezvousKey key;
    private final String edge;
    private final EdgeContext context;
    private final PeerEdges peer;
    private final EndFutures futures;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ReleaseCredit credit = new ReleaseCredit(this);
    private final ChannelWaiter channelWaiter = new Offerer();
    private final PublishedTensors published;

    // The fields from here on belong to the loop.
    private long arrived;
    // Value of `arrived` when this channel was opened.
    private long arrivedBefore;
    private int number = -1;
    private int opening;
    private @Nullable RdmaChannel channel;
    private long incarnation;
    // Whether that incarnation was offered the edge on an earlier channel.
    private boolean wasOffered;
    private boolean resumes;
    private boolean wasAccepted;
    private boolean accepted;
    private @Nullable TransportException givenUp;
    private boolean saidGivenUp;
    // From the producer's final status: the total number of tensors, and the reason of the end.
    private long last = ENDED;
    private @Nullable TransportException lastWord;
    private boolean over;
    private boolean stranded;

    /// @param edge the edge's description in error messages
    ReceivingEnd(RendezvousKey key, String edge, EdgeContext context, PeerEdges peer) {
        this.key = key;
        this.edge = edge;
        this.context = context;
        this.published = new PublishedTensors(edge, context.users());
        this.futures = new EndFutures(context.users());
        this.peer = peer;
    }

    final String key() {
        return key.toString();
    }

    final String edge() {
        return edge;
    }

    final EdgeContext context() {
        return context;
    }

    final int number() {
        return number;
    }

    /// The random number drawn when this end was opened.
    final int opening() {
        return opening;
    }

    /// Whether this process of the producer was offered the edge on an earlier channel.
    final boolean resumes() {
        return resumes;
    }

    /// @param action runs before [#ended()] completes; set before anything else happens
    final void whenEnded(Runnable action) {
        futures.whenEnded(action);
    }

    @Override
    public final CompletableFuture<Void> opened() {
        return futures.opened();
    }

    @Override
    public final CompletableFuture<Void> ended() {
        return futures.ended();
    }

    @Override
    public final boolean poll() {
        return published.poll();
    }

    @Override
    public final Tensor take() {
        if (closed.get()) {
            throw closedException();
        }
        long sequence = published.next();
        checkMayTake();
        Tensor tensor = arrivedTensor(sequence);
        published.took();
        onTaken();
        return tensor;
    }

    final IllegalStateException closedException() {
        return new IllegalStateException("the consumer's end of " + edge + " is closed");
    }

    /// @throws IllegalStateException if the consumer must release a tensor before it takes the next
    abstract void checkMayTake();

    /// The arrived tensor with a sequence number. Called once for each, on the consumer's thread.
    abstract Tensor arrivedTensor(long sequence);

    /// Called after a tensor was taken, on the consumer's thread.
    abstract void onTaken();

    /// Number of tensors that the consumer has taken. Any thread.
    final long taken() {
        return published.taken();
    }

    @Override
    public final void onReady(Runnable action) {
        published.onReady(action);
        context.loop().execute(published::tellIfReady);
    }

    @Override
    public final void startAbort(TransportException cause) {
        context.loop().execute(() -> giveUp(cause));
    }

    @Override
    public final void close() {
        if (closed.compareAndSet(false, true)) {
            context.loop().execute(() -> {
                giveUp(new TransportException(StatusCode.ABORTED, "the consumer has closed " + edge));
                onClosed();
            });
        }
    }

    /// Called when the consumer has closed this end.
    abstract void onClosed();

    /// Ends this end before it has a number.
    final void refuse(TransportException cause) {
        end(cause);
    }

    /// Requests a channel on which to offer the edge.
    final void start(int freeNumber) {
        number = freeNumber;
        opening = context.random().nextInt();
        wantChannel();
    }

    private void wantChannel() {
        context.channels().withChannel(peer.name(), channelWaiter);
    }

    private final class Offerer implements ChannelWaiter {
        @Override
        public void onChannel(RdmaChannel open) {
            offer(open);
        }

        @Override
        public void onNoChannel(TransportException cause) {
            end(cause);
        }
    }

    private void offer(RdmaChannel open) {
        if (over) {
            return;
        }
        if (wasAccepted && open.peerIncarnation() != incarnation) {
            end(new TransportException(StatusCode.ABORTED, "the producer was restarted", peer.name(), 0, null));
            return;
        }
        resumes = wasOffered && open.peerIncarnation() == incarnation;
        wasOffered = true;
        incarnation = open.peerIncarnation();
        channel = open;
        accepted = false;
        last = ENDED;
        lastWord = null;
        arrivedBefore = arrived;
        credit.begin();
        sendOffer(open);
    }

    /// Sends the offer on a new channel. Parts of incomplete tensors from an earlier channel do not count.
    abstract void sendOffer(RdmaChannel open);

    /// Number of tensors that have arrived, over all channels.
    final long arrived() {
        return arrived;
    }

    final @Nullable RdmaChannel channel() {
        return channel;
    }

    /// Handles the producer's acceptance of the edge, or its final status.
    final void onStatus(Message.EdgeStatus status) {
        if (status.code() == StatusCode.OK) {
            if (accepted || status.count() != arrivedBefore) {
                throw new ProtocolViolationException("it accepted edge " + number + " with " + status.count()
                        + " tensors, expected " + arrivedBefore);
            }
            onAccepted();
            accepted = true;
            futures.open();
            sendCredit();
            return;
        }
        boolean possible = status.count() >= come() && status.count() <= mostPossible();
        if (!possible || last != ENDED || over) {
            throw new ProtocolViolationException("it ended edge " + number + " with " + status.count()
                    + " tensors, but " + come() + " have arrived");
        }
        var cause = new TransportException(status.code(), status.message(), peer.name(), 0, null);
        if (!accepted && status.count() > arrived) {
            // These tensors were on a lost channel, whose device had reported them as delivered.
            end(new TransportException(
                    StatusCode.UNAVAILABLE,
                    (status.count() - arrived) + " tensors of " + edge + " were written and lost with their channel",
                    peer.name(),
                    0,
                    cause));
            return;
        }
        last = status.count();
        lastWord = cause;
        onLastWord();
        endIfAllIsHere();
    }

    /// Records that the producer has accepted the edge on this channel.
    final void onAccepted() {
        // Its tensors may precede the acceptance, which uses another queue pair.
        wasAccepted = true;
    }

    /// Number of tensors that have arrived or been announced.
    abstract long come();

    /// The most tensors that can arrive, given the releases reported to the producer.
    abstract long mostPossible();

    /// Called when the producer's final status has arrived.
    abstract void onLastWord();

    /// Whether the producer has reported the total number of tensors.
    final boolean hasLastWord() {
        return lastWord != null;
    }

    /// Called when a part of the next tensor has landed.
    abstract void onContent(int lane);

    /// Called when the producer has announced a tensor.
    abstract void onTensor(Message.EdgeTensor tensor);

    /// Publishes the next tensor, which has arrived completely.
    final void onArrived(long bytes) {
        arrived++;
        context.counters().tensorsReceived.increment();
        context.counters().bytesReceived.add(bytes);
        published.publish(arrived);
        endIfAllIsHere();
    }

    private void endIfAllIsHere() {
        TransportException cause = lastWord;
        if (cause != null && (arrived == last || isOverWhenGivenUp())) {
            end(cause);
        }
    }

    private boolean isOverWhenGivenUp() {
        return saidGivenUp && !mayLandAfterGivingUp();
    }

    /// Whether tensors that the producer started before it learnt that this end gave up still arrive.
    abstract boolean mayLandAfterGivingUp();

    /// Gives the edge up: this end ends when the producer has been notified.
    final void giveUp(TransportException cause) {
        if (over) {
            return;
        }
        published.end(arrived, cause);
        if (channel == null) {
            end(cause);
        } else if (givenUp == null) {
            givenUp = cause;
            sayGivenUp();
        }
    }

    final boolean hasGivenUp() {
        return givenUp != null;
    }

    /// Notifies the producer that this end gave up, once no memory of the producer is in use here.
    final void sayGivenUp() {
        RdmaChannel open = channel;
        TransportException why = givenUp;
        if (open == null || why == null || saidGivenUp || isReading()) {
            return;
        }
        saidGivenUp = true;
        open.send(new Message.EdgeStatus(number, 0, Message.Direction.TO_SENDER, why.code(), why.reasonWithDetails()));
        endIfAllIsHere();
    }

    /// Whether memory of the producer is being read.
    abstract boolean isReading();

    /// Whether arrivals are still published: the edge has not failed at this end.
    final boolean isPublishing() {
        return published.isOpen();
    }

    /// Ends this end, because nothing more can arrive.
    final void end(TransportException cause) {
        if (over) {
            return;
        }
        onEnding();
        over = true;
        context.channels().withdraw(peer.name(), channelWaiter);
        channel = null;
        published.end(arrived, cause);
        // An edge that this end gave up may end with the loss of its channel.
        futures.neverOpens(givenUp == null ? cause : givenUp);
        letGo(() -> {
            peer.forget(this, number);
            if (!stranded) {
                onLetGo();
                futures.end();
            }
        });
    }

    /// Called before the end, while the channel, if any, is still set.
    abstract void onEnding();

    /// Revokes the producer's access to this end's memory.
    ///
    /// @param then runs when the producer cannot access that memory any more
    abstract void letGo(Runnable then);

    /// Called when the producer cannot access the edge's memory any more.
    abstract void onLetGo();

    final void onMemoryStranded() {
        stranded |= channel != null;
    }

    final boolean isStranded() {
        return stranded;
    }

    final void onChannelLost(ChannelLoss loss) {
        if (over || channel == null) {
            return;
        }
        channel = null;
        accepted = false;
        onChannelGone();
        TransportException word = lastWord;
        TransportException why = givenUp;
        if (word != null && !comesAgain()) {
            end(word);
        } else if (why != null || !loss.resumable()) {
            end(loss.cause());
        } else {
            wantChannel();
        }
    }

    /// Whether tensors that the producer has reported but that have not arrived are sent again on the next channel,
    /// with the final status.
    abstract boolean comesAgain();

    /// Discards tensors of the channel that have not arrived completely.
    abstract void onChannelGone();

    /// Number of tensors that can be reported as released now.
    abstract long releasable();

    /// Number of tensors that an offer implies as released.
    abstract long releasedByOffer();

    /// Reports releases, if a message is worthwhile now.
    final void sendCredit() {
        sendCredit(false);
    }

    /// @param inAnyCase whether to report even if [#isWorthACredit] is false
    final void sendCredit(boolean inAnyCase) {
        RdmaChannel open = channel;
        if (open != null && accepted && !saidGivenUp) {
            credit.send(open, inAnyCase);
        }
    }

    /// Number of tensors reported to the producer as released.
    final long saidReleased() {
        return credit.said();
    }

    /// Whether a credit message is worthwhile now.
    ///
    /// @param unsaid released tensors not reported to the producer, 1 or more
    abstract boolean isWorthACredit(long unsaid);
}
