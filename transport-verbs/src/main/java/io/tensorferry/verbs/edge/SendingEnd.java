package io.tensorferry.verbs.edge;

import io.tensorferry.api.StaticEdge;
import io.tensorferry.api.StaticSender;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.ChannelWaiter;
import io.tensorferry.verbs.channel.ContentWrite;
import io.tensorferry.verbs.channel.ProtocolViolationException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.Message;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The producer's end of one edge: accepts the memory that the consumer offers on each channel, and writes what was
/// sent there, in order.
///
/// A tensor is kept until its write has completed, so that it can be written again over the next channel.
///
/// Owner: the loop, but for [#queue], which its lock guards.
final class SendingEnd implements StaticSender {
    private static final int MOST_WAITING = 1024;

    private final StaticEdge edge;
    private final EdgeContext context;
    private final PeerEdges peer;
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Runnable onSent = this::writeWhatMayGo;
    private final Write[] writes;

    // Those that wait, and those that are posted and not known to be written, oldest first; why nothing is taken any
    // more; and whether this end was closed. The lock of the first guards all of them.
    private final ArrayDeque<Tensor> queue = new ArrayDeque<>();
    // Changed by the loop alone, which reads it without the lock.
    private final ArrayDeque<Tensor> underWay = new ArrayDeque<>();
    private @Nullable TransportException failure;
    private boolean closed;

    private @Nullable RdmaChannel channel;
    private int number;
    private long address;
    private int remoteKey;
    private long incarnation;
    private boolean wasAccepted;
    // Of the consumer's end that it goes to.
    private int opening;
    // Waits for another channel.
    private boolean wantsChannel;
    // Tensors over all channels: known to be written, and released by the consumer.
    private long written;
    private long released;
    // The most that were posted at any time.
    private long reached;
    private boolean over;

    SendingEnd(StaticEdge edge, EdgeContext context, PeerEdges peer) {
        this.edge = edge;
        this.context = context;
        this.peer = peer;
        this.writes = new Write[edge.places()];
        for (int i = 0; i < writes.length; i++) {
            writes[i] = new Write();
        }
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
    public void send(Tensor tensor) {
        Tensor registered = registered(tensor);
        try {
            enqueue(registered);
        } catch (RuntimeException e) {
            registered.close();
            throw e;
        }
        context.loop().execute(onSent);
    }

    private void enqueue(Tensor tensor) {
        synchronized (queue) {
            if (closed) {
                throw new IllegalStateException("the producer's end of " + edge + " is closed");
            }
            if (failure != null) {
                throw failure;
            }
            if (queue.size() >= MOST_WAITING) {
                throw new TransportException(
                        StatusCode.RESOURCE_EXHAUSTED,
                        queue.size() + " tensors wait for a place of " + edge + "; no more are taken");
            }
            queue.add(tensor);
        }
    }

    /// The tensor, or a copy in registered memory; takes it.
    private Tensor registered(Tensor tensor) {
        try {
            if (tensor.dataType() != edge.dataType() || !tensor.shape().equals(edge.shape())) {
                throw new IllegalArgumentException("a " + tensor.dataType() + " tensor of shape " + tensor.shape()
                        + " is not what goes over " + edge);
            }
            MemorySegment content = tensor.segment();
            if (content.byteSize() == 0 || context.memory().regionOf(content.address(), content.byteSize()) != null) {
                return tensor;
            }
            RegisteredBuffer buffer = context.memory().allocate(content.byteSize());
            MemorySegment.copy(content, 0, buffer.segment(), 0, content.byteSize());
            context.counters().unregisteredCopies.increment();
            tensor.close();
            return buffer.toTensor(edge.dataType(), edge.shape());
        } catch (RuntimeException e) {
            tensor.close();
            throw e;
        }
    }

    @Override
    public void startAbort(TransportException cause) {
        context.loop().execute(() -> fail(cause));
    }

    @Override
    public void close() {
        synchronized (queue) {
            if (closed) {
                return;
            }
            closed = true;
        }
        context.loop().execute(this::endIfAllIsWritten);
    }

    boolean isBusy() {
        synchronized (queue) {
            return !queue.isEmpty() || !underWay.isEmpty();
        }
    }

    /// Whether it ends, as soon as what is under way is written.
    private boolean isEnding() {
        synchronized (queue) {
            return failure != null;
        }
    }

    /// Whether the offer is for this end, and not for one before or behind it that has the same key. One that nothing
    /// was written for may have accepted the last offer of a consumer's end that was gone already: it goes on with the
    /// next.
    ///
    /// @param lastWord of a producer's end before this one, which this consumer's end may not have heard
    boolean goesOnWith(Message.EdgeOffer offer, Message.@Nullable EdgeStatus lastWord) {
        if (isEnding()) {
            return false;
        }
        return wasAccepted
                ? (offer.resumed() && offer.opening() == opening) || written == 0
                : lastWord == null && offer.received() == 0;
    }

    /// Whether the consumer has offered its memory on the channel that is open.
    boolean isOnChannel() {
        return channel != null;
    }

    /// Whether a consumer whose channel was lost has yet to offer its memory on another.
    boolean waitsForConsumer() {
        return wasAccepted && !over && channel == null;
    }

    /// The consumer offers its memory; returns why that is no end of this edge, or null.
    @Nullable
    String disagreement(Message.EdgeOffer offer) {
        boolean credit = edge.reuse() == StaticEdge.Reuse.CREDIT;
        TensorMetaData own = TensorMetaData.of(edge.dataType(), edge.shape());
        return offer.metaData().equals(own) && offer.places() == edge.places() && offer.credit() == credit
                ? null
                : "the ends of " + edge.key() + " disagree: the producer has " + edge + ", the consumer "
                        + offer.metaData() + ", " + offer.places() + " places, "
                        + (offer.credit() ? StaticEdge.Reuse.CREDIT : StaticEdge.Reuse.DEPENDENCY);
    }

    /// Goes on over a channel, where the consumer has what it says.
    ///
    /// @param offer that agrees with this end
    void accept(RdmaChannel open, Message.EdgeOffer offer) {
        if (offer.received() > reached) {
            throw new ProtocolViolationException(
                    "it has received " + offer.received() + " tensors of " + edge + ", " + reached + " were written");
        }
        channel = open;
        number = offer.edge();
        opening = offer.opening();
        address = offer.address();
        remoteKey = offer.remoteKey();
        incarnation = open.peerIncarnation();
        wasAccepted = true;
        if (offer.received() < written) {
            fail(new TransportException(
                    StatusCode.UNAVAILABLE,
                    (written - offer.received()) + " tensors of " + edge + " were written and lost with their channel",
                    open.peer(),
                    0,
                    null));
            return;
        }
        while (written < offer.received()) {
            // They had landed before the channel was lost.
            removeWritten();
        }
        released = offer.received() - offer.unreleased();
        open.send(new Message.EdgeStatus(number, written, Message.Direction.TO_RECEIVER, StatusCode.OK, ""));
        opened.complete(null);
        writeWhatMayGo();
        endIfAllIsWritten();
    }

    /// Of those that wait.
    private void removeWritten() {
        Tensor tensor;
        synchronized (queue) {
            tensor = queue.remove();
        }
        count(tensor);
    }

    private void count(Tensor tensor) {
        tensor.close();
        written++;
        context.counters().tensorsSent.increment();
        context.counters().bytesSent.add(edge.tensorBytes());
    }

    /// The consumer has released so many.
    void onCredit(long count) {
        if (edge.reuse() != StaticEdge.Reuse.CREDIT || count < released || count > posted()) {
            throw new ProtocolViolationException(
                    "it released " + count + " tensors of edge " + number + ", after " + released + " of " + posted());
        }
        released = count;
        writeWhatMayGo();
    }

    /// The consumer wants no more.
    void onGivenUp(Message.EdgeStatus status) {
        fail(new TransportException(status.code(), status.message(), peer.name(), 0, null));
    }

    private void writeWhatMayGo() {
        RdmaChannel open = channel;
        while (open != null && open.isOpen() && mayWrite()) {
            Tensor next = next();
            if (next == null) {
                break;
            }
            Write write = writes[(int) (posted() % writes.length)];
            try {
                write.begin(next);
            } catch (RuntimeException e) {
                next.close();
                fail(new TransportException(
                        StatusCode.INTERNAL, "a tensor that was sent over " + edge + " cannot be read: " + e, e));
                return;
            }
            synchronized (queue) {
                underWay.add(next);
            }
            reached = Math.max(reached, posted());
            open.writeDirectly(write);
        }
    }

    private long posted() {
        return written + underWay.size();
    }

    private boolean mayWrite() {
        return !over
                && underWay.size() < writes.length
                && (edge.reuse() == StaticEdge.Reuse.DEPENDENCY || posted() < released + writes.length);
    }

    /// Takes the first of those that wait.
    private @Nullable Tensor next() {
        synchronized (queue) {
            return failure == null ? queue.poll() : null;
        }
    }

    /// What was under way waits again.
    private void takeBack() {
        synchronized (queue) {
            while (!underWay.isEmpty()) {
                queue.addFirst(underWay.removeLast());
            }
        }
    }

    /// One tensor on its way into a place.
    private final class Write extends ContentWrite {
        private void begin(Tensor tensor) {
            long bytes = edge.tensorBytes();
            int immediate = Immediate.ofEdge(number);
            if (bytes == 0) {
                set(0, 0, 0, 0, 0, immediate);
                return;
            }
            long from = tensor.segment().address();
            MemoryRegion region = context.memory().regionOf(from, bytes);
            if (region == null) {
                throw new IllegalStateException("the memory of a tensor of " + edge + " is not registered any more");
            }
            long to = address + posted() % writes.length * edge.placeBytes();
            set(from, bytes, region.localKey(), to, remoteKey, immediate);
        }

        @Override
        public int encodedSize() {
            throw new IllegalStateException("tensors of an edge do not go inside the ring");
        }

        @Override
        public int encode(MemorySegment target, long offset, int room) {
            throw new IllegalStateException("tensors of an edge do not go inside the ring");
        }

        @Override
        protected void onWritten() {
            Tensor tensor;
            synchronized (queue) {
                tensor = underWay.remove();
            }
            count(tensor);
            writeWhatMayGo();
            endIfAllIsWritten();
        }

        @Override
        protected void onAbandoned() {
            // It waits again when the loss of the channel is told.
        }
    }

    /// Takes no more, drops what waits, and ends when what is under way is written.
    private void fail(TransportException cause) {
        List<Tensor> dropped;
        synchronized (queue) {
            failure = failure == null ? cause : failure;
            dropped = List.copyOf(queue);
            queue.clear();
        }
        dropped.forEach(Tensor::close);
        endIfAllIsWritten();
    }

    private void endIfAllIsWritten() {
        TransportException cause;
        synchronized (queue) {
            if (!queue.isEmpty() || !underWay.isEmpty() || !(closed || failure != null)) {
                return;
            }
            cause = failure != null
                    ? failure
                    : new TransportException(StatusCode.ABORTED, "the producer has closed " + edge);
            failure = cause;
        }
        end(cause);
    }

    private void end(TransportException cause) {
        if (over) {
            return;
        }
        over = true;
        RdmaChannel open = channel;
        channel = null;
        var word = new Message.EdgeStatus(
                number, written, Message.Direction.TO_RECEIVER, notOk(cause), String.valueOf(cause.getMessage()));
        if (open != null) {
            open.send(word);
        }
        peer.forget(this, number, opening, wasAccepted ? word : null);
        opened.completeExceptionally(cause);
        ended.complete(null);
    }

    private static StatusCode notOk(TransportException cause) {
        return cause.code() == StatusCode.OK ? StatusCode.UNKNOWN : cause.code();
    }

    /// Another process has taken the consumer's place.
    boolean wasAcceptedByAnother(RdmaChannel open) {
        return wasAccepted && incarnation != open.peerIncarnation();
    }

    /// The consumer's process is gone, or no way leads to it.
    void onConsumerGone(TransportException cause) {
        channel = null;
        takeBack();
        fail(cause);
    }

    /// The memory of what is under way stays out of use.
    void onMemoryStranded() {
        if (channel == null) {
            return;
        }
        synchronized (queue) {
            written += underWay.size();
            underWay.clear();
        }
    }

    /// Also for one that waits for its consumer: it may be the only one who wants another channel.
    void onChannelLost(ChannelLoss loss) {
        if (over || !wasAccepted) {
            return;
        }
        channel = null;
        takeBack();
        if (isEnding() || !loss.resumable()) {
            fail(loss.cause());
        } else if (!wantsChannel) {
            wantsChannel = true;
            wantChannel();
        }
    }

    /// The consumer offers its memory again by itself, or says that it wants no more; this tells if it cannot.
    private void wantChannel() {
        context.channels().accept(peer.name(), new ChannelWaiter() {
            @Override
            public void onChannel(RdmaChannel open) {
                wantsChannel = false;
            }

            @Override
            public void onNoChannel(TransportException cause) {
                wantsChannel = false;
                onConsumerGone(cause);
            }
        });
    }
}
