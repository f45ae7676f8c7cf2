package io.tensorferry.verbs.edge;

import io.tensorferry.api.EdgeReceiver;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.link.ChannelWaiter;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// The consumer's end of one edge, of either kind: offers itself on each channel, counts what arrives, and says what is
/// released.
///
/// ```
/// (no channel) -- channel open -->                offered
/// offered      -- accepted -->                    open: tensors arrive
/// offered, open -- channel lost, to be resumed --> (no channel)
/// offered, open -- this end ends it -->           given up: the producer is told
/// any          -- the producer's last word, and all before it is here; no channel --> ended
/// ```
///
/// Owner: the loop, but for what the consumer does: [#poll], [#take].
abstract class ReceivingEnd implements EdgeReceiver {
    private static final long ENDED = Long.MAX_VALUE;

    private final RendezvousKey key;
    private final String edge;
    private final EdgeContext context;
    private final PeerEdges peer;
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    // What the user is given.
    private final CompletableFuture<Void> shownOpened;
    private final CompletableFuture<Void> shownEnded;
    private Runnable onEnded = () -> {};
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ReleaseCredit credit = new ReleaseCredit(this);
    private final ChannelWaiter channelWaiter = new Offerer();

    // What the consumer looks at: tensors that have arrived, or ENDED; then `failure` and `arrivedAtEnd` say more.
    private volatile long ready;
    private volatile @Nullable TransportException failure;
    private long arrivedAtEnd;
    private volatile @Nullable Runnable readyAction;
    // The consumer's own count.
    private volatile long taken;

    // Of the loop from here on.
    private long arrived;
    // When this channel was opened.
    private long arrivedBefore;
    private int number = -1;
    private int opening;
    private @Nullable RdmaChannel channel;
    private long incarnation;
    // To that incarnation, on an earlier channel.
    private boolean wasOffered;
    private boolean resumes;
    private boolean wasAccepted;
    private boolean accepted;
    private @Nullable TransportException givenUp;
    private boolean saidGivenUp;
    // What the producer said last, once it has: how many come, and why no more do.
    private long last = ENDED;
    private @Nullable TransportException lastWord;
    private boolean over;
    private boolean stranded;

    /// @param edge as messages are to name it
    ReceivingEnd(RendezvousKey key, String edge, EdgeContext context, PeerEdges peer) {
        this.key = key;
        this.edge = edge;
        this.context = context;
        this.shownOpened = context.users().shown(opened);
        this.shownEnded = context.users().shown(ended);
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

    /// Drawn when this end was opened.
    final int opening() {
        return opening;
    }

    /// Whether this process of the producer was offered it on an earlier channel.
    final boolean resumes() {
        return resumes;
    }

    /// @param action runs before [#ended()] completes; given before anything else happens
    final void whenEnded(Runnable action) {
        onEnded = action;
    }

    @Override
    public final CompletableFuture<Void> opened() {
        return shownOpened;
    }

    @Override
    public final CompletableFuture<Void> ended() {
        return shownEnded;
    }

    @Override
    public final boolean poll() {
        return ready > taken;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // By the consumer alone.
    public final Tensor take() {
        if (closed.get()) {
            throw closedException();
        }
        long there = ready;
        if (there <= taken) {
            throw new IllegalStateException("no tensor has arrived over " + edge + "; poll() says when one has");
        }
        if (there == ENDED && taken >= arrivedAtEnd) {
            throw failed();
        }
        checkMayTake();
        Tensor tensor = arrivedTensor(taken);
        taken++;
        onTaken();
        return tensor;
    }

    final IllegalStateException closedException() {
        return new IllegalStateException("the consumer's end of " + edge + " is closed");
    }

    /// @throws IllegalStateException if something else must be done before the next is taken
    abstract void checkMayTake();

    /// The tensor with a sequence number, which has arrived. On the consumer's thread, once for each.
    abstract Tensor arrivedTensor(long sequence);

    /// On the consumer's thread.
    abstract void onTaken();

    /// Tensors that the consumer has taken. Any thread.
    final long taken() {
        return taken;
    }

    private TransportException failed() {
        TransportException why = failure;
        if (why == null) {
            throw new IllegalStateException(edge + " has ended without a cause");
        }
        return why;
    }

    @Override
    public final void onReady(Runnable action) {
        readyAction = action;
        context.loop().execute(() -> {
            if (ready > 0) {
                tellReady();
            }
        });
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

    /// Nothing is taken any more.
    abstract void onClosed();

    /// There is no such edge: it has no number.
    final void refuse(TransportException cause) {
        end(cause);
    }

    /// Wants a channel, to offer itself there.
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

    /// On a new channel, where what came over an earlier one and has not arrived as a whole does not count.
    abstract void sendOffer(RdmaChannel open);

    /// Tensors that have arrived, over all channels.
    final long arrived() {
        return arrived;
    }

    final @Nullable RdmaChannel channel() {
        return channel;
    }

    /// The producer has accepted the edge, or writes no more.
    final void onStatus(Message.EdgeStatus status) {
        if (status.code() == StatusCode.OK) {
            if (accepted || status.count() != arrivedBefore) {
                throw new ProtocolViolationException("it accepted edge " + number + " with " + status.count()
                        + " tensors, it was told of " + arrivedBefore);
            }
            onAccepted();
            accepted = true;
            opened.complete(null);
            sendCredit();
            return;
        }
        boolean possible = status.count() >= come() && status.count() <= mostPossible();
        if (!possible || last != ENDED || over) {
            throw new ProtocolViolationException(
                    "it ended edge " + number + " with " + status.count() + " tensors, " + come() + " are here");
        }
        var cause = new TransportException(status.code(), status.message(), peer.name(), 0, null);
        if (!accepted && status.count() > arrived) {
            // They were on a channel that is lost, and its device had said that they are here.
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

    /// The producer goes on from here.
    final void onAccepted() {
        // What it sends may come before its acceptance, which goes over another queue pair.
        wasAccepted = true;
    }

    /// Tensors that have come, as a whole or not.
    abstract long come();

    /// The most that can come, as far as the producer was told what is released.
    abstract long mostPossible();

    /// No more come than the producer has said.
    abstract void onLastWord();

    /// Whether the producer has said how many come.
    final boolean hasLastWord() {
        return lastWord != null;
    }

    /// A part of the next tensor has landed.
    abstract void onContent(int lane);

    /// The producer has announced a tensor.
    abstract void onTensor(Message.EdgeTensor tensor);

    /// The next tensor is here, as a whole.
    final void onArrived(long bytes) {
        arrived++;
        context.counters().tensorsReceived.increment();
        context.counters().bytesReceived.add(bytes);
        if (failure == null) {
            ready = arrived;
            tellReady();
        }
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

    /// Whether what the producer has begun before it hears that this end gave up still comes.
    abstract boolean mayLandAfterGivingUp();

    /// This end wants no more: it ends when the producer knows.
    final void giveUp(TransportException cause) {
        if (over) {
            return;
        }
        publishEnd(cause);
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

    /// Once nothing here uses what is the producer's.
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

    private void tellReady() {
        Runnable action = readyAction;
        if (action != null) {
            context.users().run("run what waits for a tensor of " + edge, action);
        }
    }

    private void publishEnd(TransportException cause) {
        if (failure == null) {
            arrivedAtEnd = arrived;
            failure = cause;
            ready = ENDED;
            tellReady();
        }
    }

    /// Whether more is published: the edge has not failed at this end.
    final boolean isPublishing() {
        return failure == null;
    }

    /// Nobody sends any more, or will.
    final void end(TransportException cause) {
        if (over) {
            return;
        }
        onEnding();
        over = true;
        context.channels().withdraw(peer.name(), channelWaiter);
        channel = null;
        publishEnd(cause);
        // One that was given up here may end with the loss of its channel.
        opened.completeExceptionally(givenUp == null ? cause : givenUp);
        letGo(() -> {
            peer.forget(this, number);
            if (!stranded) {
                onLetGo();
                onEnded.run();
                ended.complete(null);
            }
        });
    }

    /// The channel is still there, if it was.
    abstract void onEnding();

    /// Gives up what the producer was told of.
    ///
    /// @param then runs when the producer can reach nothing of it any more
    abstract void letGo(Runnable then);

    /// The memory of the edge is its own again.
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

    /// Whether what the producer has said to come and has not arrived comes over the next channel, and the last word
    /// again.
    abstract boolean comesAgain();

    /// What came over the channel and has not arrived as a whole is void.
    abstract void onChannelGone();

    /// Tensors that the producer may take as released now.
    abstract long releasable();

    /// Tensors that it takes as released when it is offered the edge.
    abstract long releasedByOffer();

    /// Says what is released, if that is to be said now.
    final void sendCredit() {
        sendCredit(false);
    }

    /// @param inAnyCase also if it is not [#isWorthACredit]
    final void sendCredit(boolean inAnyCase) {
        RdmaChannel open = channel;
        if (open != null && accepted && !saidGivenUp) {
            credit.send(open, inAnyCase);
        }
    }

    /// What the producer has been told to be released.
    final long saidReleased() {
        return credit.said();
    }

    /// Whether it is worth a message now.
    ///
    /// @param unsaid tensors that are released and of which the producer does not know, 1 or more
    abstract boolean isWorthACredit(long unsaid);
}
