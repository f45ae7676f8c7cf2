package io.tensorferry.verbs.edge;

import io.tensorferry.api.StaticEdge;
import io.tensorferry.api.StaticReceiver;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.ChannelWaiter;
import io.tensorferry.verbs.channel.MemoryGrant;
import io.tensorferry.verbs.channel.MemoryNaming;
import io.tensorferry.verbs.channel.NamedMemory;
import io.tensorferry.verbs.channel.ProtocolViolationException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;
import io.tensorferry.verbs.wire.OutgoingMessage;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The consumer's end of one edge: offers its memory on each channel, counts what lands, and says what is released.
///
/// ```
/// (no channel) -- channel open -->                offered
/// offered      -- accepted -->                    open: tensors land
/// offered, open -- channel lost, to be resumed --> (no channel)
/// offered, open -- this end ends it -->           given up: the producer is told
/// any          -- the producer's last word, all it has written has landed; no channel --> ended
/// ```
///
/// Owner: the loop, but for what the consumer does: [#poll], [#take], [#release].
final class ReceivingEnd implements StaticReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(ReceivingEnd.class);
    private static final long ENDED = Long.MAX_VALUE;

    private final StaticEdge edge;
    private final EdgeContext context;
    private final PeerEdges peer;
    private final Places places;
    private final LandedParts parts;
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Runnable onReleased = this::sendCredit;
    private final Credit credit = new Credit();

    // What the consumer looks at: tensors that have arrived, or ENDED; then `failure` and `arrivedAtEnd` say more.
    private volatile long ready;
    private volatile @Nullable TransportException failure;
    private long arrivedAtEnd;
    private volatile Runnable readyAction = () -> {};
    // The consumer's own count, and what it tells the loop.
    private long taken;
    private volatile long released;

    // Of the loop from here on.
    private long arrived;
    // When this channel was opened.
    private long arrivedBefore;
    private int number = -1;
    // Tells this end from another with the same key, before it or behind it.
    private int opening;
    private @Nullable RdmaChannel channel;
    private MemoryGrant grant = MemoryGrant.LASTING;
    private long incarnation;
    // To that incarnation, on an earlier channel.
    private boolean wasOffered;
    private boolean resumes;
    private boolean wasAccepted;
    private boolean accepted;
    private boolean givenUp;
    // What the producer said last, once it has: how many come, and why no more do.
    private long last = ENDED;
    private @Nullable TransportException lastWord;
    private boolean over;
    private boolean stranded;

    ReceivingEnd(StaticEdge edge, EdgeContext context, PeerEdges peer, Places places) {
        this.edge = edge;
        this.context = context;
        this.peer = peer;
        this.places = places;
        this.parts = new LandedParts(edge.places());
    }

    StaticEdge edge() {
        return edge;
    }

    @Override
    public CompletableFuture<Void> opened() {
        return opened;
    }

    @Override
    public CompletableFuture<Void> ended() {
        return ended;
    }

    @Override
    public boolean poll() {
        return ready > taken;
    }

    @Override
    public Tensor take() {
        if (closed.get()) {
            throw new IllegalStateException("the consumer's end of " + edge + " is closed");
        }
        long there = ready;
        if (there <= taken) {
            throw new IllegalStateException("no tensor has arrived over " + edge + "; poll() says when one has");
        }
        if (there == ENDED && taken >= arrivedAtEnd) {
            throw failed();
        }
        if (taken - released >= edge.places()) {
            throw new IllegalStateException("release() comes before the next take() from " + edge);
        }
        return places.tensor(taken++);
    }

    private TransportException failed() {
        TransportException why = failure;
        if (why == null) {
            throw new IllegalStateException(edge + " has ended without a cause");
        }
        return why;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // By the consumer alone.
    public void release() {
        if (released >= taken) {
            throw new IllegalStateException("no tensor of " + edge + " is taken");
        }
        released++;
        if (isCredited()) {
            context.loop().execute(onReleased);
        }
    }

    @Override
    public void onReady(Runnable action) {
        readyAction = action;
        context.loop().execute(() -> {
            if (ready > 0) {
                tellReady();
            }
        });
    }

    @Override
    public void startAbort(TransportException cause) {
        context.loop().execute(() -> giveUp(cause));
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            context.loop().execute(() -> {
                giveUp(new TransportException(StatusCode.ABORTED, "the consumer has closed " + edge));
                places.consumerIsDone();
            });
        }
    }

    /// There is no such edge: it has no number.
    void refuse(TransportException cause) {
        end(cause);
    }

    /// Wants a channel, to offer the memory there.
    void start(int freeNumber) {
        number = freeNumber;
        opening = context.random().nextInt();
        wantChannel();
    }

    private void wantChannel() {
        context.channels().accept(peer.name(), new ChannelWaiter() {
            @Override
            public void onChannel(RdmaChannel open) {
                offer(open);
            }

            @Override
            public void onNoChannel(TransportException cause) {
                end(cause);
            }
        });
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
        arrivedBefore = arrived;
        parts.begin(open.lanesOf(edge.tensorBytes()), open.laneCount());
        NamedMemory memory = places.named();
        if (memory == null) {
            open.send(offered(0, 0));
            return;
        }
        grant = open.offer(memory, number, new MemoryNaming() {
            @Override
            public OutgoingMessage message(int remoteKey) {
                return offered(memory.address(), remoteKey);
            }

            @Override
            public void onRefused(TransportException cause) {
                grant = MemoryGrant.LASTING;
                end(cause);
            }
        });
    }

    private Message.EdgeOffer offered(long address, int remoteKey) {
        credit.said = released;
        return new Message.EdgeOffer(
                number,
                edge.key().toString(),
                TensorMetaData.of(edge.dataType(), edge.shape()),
                edge.places(),
                isCredited(),
                resumes,
                opening,
                arrived,
                (int) (arrived - credit.said),
                address,
                remoteKey);
    }

    /// The producer has accepted the edge, or writes no more.
    void onStatus(Message.EdgeStatus status) {
        if (status.code() == StatusCode.OK) {
            if (accepted || status.count() != arrivedBefore) {
                throw new ProtocolViolationException("it accepted edge " + number + " with " + status.count()
                        + " tensors, it was told of " + arrivedBefore);
            }
            accepted = true;
            wasAccepted = true;
            opened.complete(null);
            sendCredit();
            return;
        }
        boolean tooMany = isCredited() && status.count() - edge.places() > released;
        if (status.count() < arrived || tooMany || last != ENDED || over) {
            throw new ProtocolViolationException(
                    "it ended edge " + number + " with " + status.count() + " tensors, " + arrived + " are here");
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
        endIfAllIsHere();
    }

    /// The next tensor, or a part of it, has landed.
    void onContent(int lane) {
        // It may come before the acceptance, which goes over another queue pair.
        wasAccepted = true;
        if (!parts.add(lane)) {
            return;
        }
        if (arrived - released >= edge.places()) {
            if (isCredited()) {
                throw new ProtocolViolationException("it wrote edge " + number + " without a credit");
            }
            giveUp(new TransportException(
                    StatusCode.FAILED_PRECONDITION,
                    "tensor " + arrived + " of " + edge + " was written before tensor " + (arrived - edge.places())
                            + " was released"));
        }
        arrived++;
        context.counters().tensorsReceived.increment();
        context.counters().bytesReceived.add(edge.tensorBytes());
        if (failure == null) {
            ready = arrived;
            tellReady();
        }
        endIfAllIsHere();
    }

    private void endIfAllIsHere() {
        TransportException cause = lastWord;
        if (arrived == last && cause != null) {
            end(cause);
        }
    }

    /// This end wants no more: the memory is its own again when the producer knows.
    void giveUp(TransportException cause) {
        if (over) {
            return;
        }
        publishEnd(cause);
        RdmaChannel open = channel;
        if (open == null) {
            end(cause);
        } else if (!givenUp) {
            givenUp = true;
            open.send(new Message.EdgeStatus(
                    number, 0, Message.Direction.TO_SENDER, cause.code(), String.valueOf(cause.getMessage())));
        }
    }

    private void tellReady() {
        try {
            readyAction.run();
        } catch (RuntimeException e) {
            LOG.error("what is to run when a tensor of {} is there failed", edge, e);
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

    /// Nobody writes any more, or will.
    private void end(TransportException cause) {
        if (over) {
            return;
        }
        over = true;
        channel = null;
        publishEnd(cause);
        opened.completeExceptionally(cause);
        MemoryGrant granted = grant;
        grant = MemoryGrant.LASTING;
        granted.revoke(() -> {
            peer.forget(this, number);
            if (!stranded) {
                places.peerIsDone();
                ended.complete(null);
            }
        });
    }

    void onMemoryStranded() {
        stranded |= channel != null;
    }

    void onChannelLost(ChannelLoss loss) {
        if (over || channel == null) {
            return;
        }
        channel = null;
        grant = MemoryGrant.LASTING;
        accepted = false;
        credit.queued = false;
        TransportException word = lastWord;
        if (word != null) {
            end(word);
        } else if (givenUp || !loss.resumable()) {
            end(loss.cause());
        } else {
            wantChannel();
        }
    }

    private boolean isCredited() {
        return edge.reuse() == StaticEdge.Reuse.CREDIT;
    }

    private void sendCredit() {
        RdmaChannel open = channel;
        if (open != null && isCredited() && accepted && !givenUp && !credit.queued && credit.said < released) {
            credit.queued = true;
            open.send(credit);
        }
    }

    /// What is released when it leaves, which may be more than when it was queued: one for several.
    private final class Credit implements OutgoingMessage {
        private boolean queued;
        private long said;

        @Override
        public int encodedSize() {
            return MessageCodec.EDGE_CREDIT_BYTES;
        }

        @Override
        public int encode(MemorySegment target, long offset, int room) {
            queued = false;
            said = released;
            return MessageCodec.encodeEdgeCredit(target, offset, number, said);
        }
    }
}
