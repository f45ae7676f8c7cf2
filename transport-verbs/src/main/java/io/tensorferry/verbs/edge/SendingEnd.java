package io.tensorferry.verbs.edge;

import io.tensorferry.api.EdgeSender;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.link.ChannelWaiter;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The producer's end of one edge, of either kind: what was sent waits until it may go, is under way, and is done when
/// the consumer has it. Accepts what the consumer offers on each channel, and goes on there with what is not done.
///
/// Owner: the loop, but for [#queue], which its lock guards.
abstract class SendingEnd implements EdgeSender {
    private static final int MOST_WAITING = 1024;

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
    private final Runnable onSent = this::sendWhatMayGo;
    private final ChannelWaiter channelWaiter = new NextChannel();

    // Those that wait, and those that are under way, oldest first; why nothing is taken any more; and whether this end
    // was closed. The lock of the first guards all of them.
    private final ArrayDeque<Tensor> queue = new ArrayDeque<>();
    // Changed by the loop alone, which reads it without the lock.
    private final ArrayDeque<Tensor> underWay = new ArrayDeque<>();
    private @Nullable TransportException failure;
    private boolean closed;

    private @Nullable RdmaChannel channel;
    private int number;
    private int opening;
    private long incarnation;
    private boolean wasAccepted;
    // Waits for another channel.
    private boolean wantsChannel;
    // Tensors over all channels that the consumer is known to have.
    private long done;
    // The most that had left at any time.
    private long reached;
    private boolean lastWordSaid;
    private boolean over;

    /// @param edge as messages are to name it
    SendingEnd(RendezvousKey key, String edge, EdgeContext context, PeerEdges peer) {
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
    public final void send(Tensor tensor) {
        check(tensor);
        requireOpen(tensor);
        MemorySegment content = tensor.segment();
        long bytes = content.byteSize();
        if (bytes == 0 || regionOf(content.address(), bytes) != null) {
            enqueue(tensor, null);
        } else {
            sendCopy(tensor, bytes);
        }
        context.loop().executeSoonest(onSent);
    }

    private void sendCopy(Tensor tensor, long bytes) {
        synchronized (queue) {
            requireTaking();
        }
        Tensor copy;
        // Its owner may close the handle while it is copied.
        try (Tensor source = tensor.share()) {
            copy = context.copy(source, allocate(bytes));
        }
        Tensor original;
        try {
            original = enqueue(tensor, copy);
        } catch (RuntimeException e) {
            copy.close();
            throw e;
        }
        original.close();
    }

    /// @throws IllegalStateException if the handle is closed or was sent before
    private void requireOpen(Tensor tensor) {
        if (tensor.isClosed()) {
            throw cannotBeSent(tensor, null);
        }
    }

    private IllegalStateException cannotBeSent(Tensor tensor, @Nullable Exception cause) {
        return new IllegalStateException(
                "the tensor cannot be sent over " + edge + ": its handle is closed or was sent before, " + tensor,
                cause);
    }

    /// @throws IllegalArgumentException if the edge does not carry it
    abstract void check(Tensor tensor);

    /// The registration that holds all of a range, if the edge can use it. Any thread.
    @Nullable
    abstract MemoryRegion regionOf(long address, long bytes);

    /// Memory that the edge can use. On the user's thread.
    abstract RegisteredBuffer allocate(long bytes);

    /// The registration of a tensor that was sent.
    ///
    /// @throws IllegalStateException if it has ended
    final MemoryRegion requiredRegion(long address, long bytes) {
        MemoryRegion region = regionOf(address, bytes);
        if (region == null) {
            throw new IllegalStateException("the memory of a tensor of " + edge + " is not registered any more");
        }
        return region;
    }

    /// Takes the handle over, unless it throws.
    ///
    /// @param copy goes in the place of the tensor; null if the tensor itself goes
    /// @return the handle that was taken over: if there is a copy the caller's, else the queue's
    private Tensor enqueue(Tensor tensor, @Nullable Tensor copy) {
        synchronized (queue) {
            requireTaking();
            if (queue.size() >= MOST_WAITING) {
                throw new TransportException(
                        StatusCode.RESOURCE_EXHAUSTED,
                        queue.size() + " tensors wait in " + edge + "; no more are taken");
            }
            Tensor taken;
            try {
                taken = tensor.handOver();
            } catch (IllegalStateException e) {
                throw cannotBeSent(tensor, e);
            }
            queue.add(copy == null ? taken : copy);
            return taken;
        }
    }

    /// With the lock.
    private void requireTaking() {
        if (closed) {
            throw new IllegalStateException("the producer's end of " + edge + " is closed");
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public final void startAbort(TransportException cause) {
        context.loop().execute(() -> fail(cause));
    }

    @Override
    public final void close() {
        synchronized (queue) {
            if (closed) {
                return;
            }
            closed = true;
        }
        context.loop().execute(this::endIfAllIsDone);
    }

    final boolean isBusy() {
        synchronized (queue) {
            return !queue.isEmpty() || !underWay.isEmpty();
        }
    }

    /// Whether it ends, as soon as what is under way is done.
    private boolean isEnding() {
        synchronized (queue) {
            return failure != null;
        }
    }

    /// Whether the offer is for this end, and not for one before or behind it that has the same key. One that nothing
    /// was done for may have accepted the last offer of a consumer's end that was gone already: it goes on with the
    /// next.
    final boolean goesOnWith(Message.Opening offer) {
        return !isEnding()
                && (wasAccepted ? (offer.resumed() && offer.opening() == opening) || done == 0 : offer.received() == 0);
    }

    /// Whether the consumer has offered on the channel that is open.
    final boolean isOnChannel() {
        return channel != null;
    }

    /// Whether a consumer whose channel was lost has yet to offer on another.
    final boolean waitsForConsumer() {
        return wasAccepted && !over && channel == null;
    }

    /// The consumer offers; returns why that is no end of this edge, or null.
    @Nullable
    abstract String disagreement(RdmaChannel open, Message.Opening offer);

    /// Goes on over a channel, where the consumer has what it says.
    ///
    /// @param offer that agrees with this end
    final void accept(RdmaChannel open, Message.Opening offer) {
        if (offer.received() > reached) {
            throw new ProtocolViolationException(
                    "it has received " + offer.received() + " tensors of " + edge + ", " + reached + " were sent");
        }
        channel = open;
        number = offer.edge();
        opening = offer.opening();
        incarnation = open.peerIncarnation();
        wasAccepted = true;
        lastWordSaid = false;
        if (offer.received() < done) {
            fail(new TransportException(
                    StatusCode.UNAVAILABLE,
                    (done - offer.received()) + " tensors of " + edge + " were written and lost with their channel",
                    open.peer(),
                    0,
                    null));
            return;
        }
        while (done < offer.received()) {
            // They had arrived before the channel was lost.
            Tensor tensor;
            synchronized (queue) {
                tensor = queue.remove();
            }
            count(tensor);
            tensor.close();
        }
        begin(offer);
        open.send(new Message.EdgeStatus(number, done, Message.Direction.TO_RECEIVER, StatusCode.OK, ""));
        opened.complete(null);
        sendWhatMayGo();
        endIfAllIsDone();
    }

    /// What the consumer has said of this kind of edge holds from now on.
    abstract void begin(Message.Opening offer);

    private void count(Tensor tensor) {
        done++;
        context.counters().tensorsSent.increment();
        context.counters().bytesSent.add(tensor.byteSize());
    }

    /// The consumer has released so many.
    abstract void onCredit(long count);

    /// The consumer wants no more.
    final void onGivenUp(Message.EdgeStatus status) {
        // First, so that nothing is announced in the place of what is dropped.
        fail(new TransportException(status.code(), status.message(), peer.name(), 0, null));
        onReceiverStopped();
        endIfAllIsDone();
    }

    /// The consumer has given the edge up, on the channel that is open, and uses nothing of it any more.
    abstract void onReceiverStopped();

    /// Sends those that wait, as far as they may go now.
    final void sendWhatMayGo() {
        RdmaChannel open = channel;
        while (open != null && open.isOpen() && !over && mayGo(underWay.size())) {
            Tensor next = next();
            if (next == null) {
                break;
            }
            synchronized (queue) {
                underWay.add(next);
            }
            try {
                start(open, next, gone() - 1);
            } catch (RuntimeException e) {
                removeNewest().close();
                String what = "a tensor that was sent over " + edge + " cannot be read";
                fail(
                        e instanceof TransportException known
                                ? known.within(what, null)
                                : new TransportException(StatusCode.INTERNAL, what + ": " + e, e));
                return;
            }
            reached = Math.max(reached, gone());
        }
        endIfAllIsDone();
    }

    /// The same, later in this turn of the loop or in the next.
    final void sendSoon() {
        context.loop().execute(onSent);
    }

    /// Whether another may be under way.
    abstract boolean mayGo(int alreadyUnderWay);

    /// Sends a tensor on its way: [#completeOldest()], [#dropOldest()] or [#removeNewest()] follows, unless the channel
    /// is lost.
    ///
    /// @throws RuntimeException if it cannot be read any more; nothing was started then
    abstract void start(RdmaChannel open, Tensor tensor, long sequence);

    /// Tensors that are done or under way.
    final long gone() {
        return done + underWay.size();
    }

    /// Tensors that the consumer is known to have.
    final long done() {
        return done;
    }

    /// Takes the first of those that wait.
    private @Nullable Tensor next() {
        synchronized (queue) {
            return failure == null ? queue.poll() : null;
        }
    }

    /// The consumer has the oldest of those under way; the caller closes it.
    final Tensor completeOldest() {
        Tensor tensor = dropOldest();
        count(tensor);
        return tensor;
    }

    /// The consumer does not want the oldest of those under way; the caller closes it.
    final Tensor dropOldest() {
        synchronized (queue) {
            return underWay.remove();
        }
    }

    /// The newest of those under way never left; the caller closes it.
    final Tensor removeNewest() {
        synchronized (queue) {
            return underWay.removeLast();
        }
    }

    /// What was under way waits again.
    final void takeBack() {
        synchronized (queue) {
            while (!underWay.isEmpty()) {
                queue.addFirst(underWay.removeLast());
            }
        }
    }

    /// Takes no more, drops what waits, and ends when what is under way is done.
    final void fail(TransportException cause) {
        List<Tensor> dropped;
        synchronized (queue) {
            failure = failure == null ? cause : failure;
            dropped = List.copyOf(queue);
            queue.clear();
        }
        dropped.forEach(Tensor::close);
        endIfAllIsDone();
    }

    private void endIfAllIsDone() {
        TransportException cause;
        boolean all;
        synchronized (queue) {
            if (over || !queue.isEmpty() || !(closed || failure != null)) {
                return;
            }
            cause = failure != null
                    ? failure
                    : new TransportException(StatusCode.ABORTED, "the producer has closed " + edge);
            all = underWay.isEmpty();
            if (all) {
                failure = cause;
            }
        }
        if (all) {
            end(cause);
        } else if (saysLastWordEarly()) {
            sayLastWord(cause);
        }
    }

    /// Whether some are done that cannot be closed yet: the consumer is done with the edge and may use its number and
    /// its key again, and [#onLetGo] tells this end.
    abstract boolean isLettingGo();

    /// Some that were done are closed.
    final void onLetGo() {
        sendWhatMayGo();
        endWhenLetGo();
    }

    private void endWhenLetGo() {
        if (over && !isLettingGo() && !ended.isDone()) {
            onEnded.run();
            ended.complete(null);
        }
    }

    /// Whether the consumer is to know that no more come while some are under way.
    abstract boolean saysLastWordEarly();

    private Message.EdgeStatus lastWord(TransportException cause) {
        return new Message.EdgeStatus(
                number, gone(), Message.Direction.TO_RECEIVER, notOk(cause), cause.reasonWithDetails());
    }

    private void sayLastWord(TransportException cause) {
        RdmaChannel open = channel;
        if (open != null && !lastWordSaid) {
            lastWordSaid = true;
            open.send(lastWord(cause));
        }
    }

    private void end(TransportException cause) {
        over = true;
        context.channels().withdraw(peer.name(), channelWaiter);
        sayLastWord(cause);
        channel = null;
        peer.forget(this, number, wasAccepted ? new PeerEdges.LastWord(opening, lastWord(cause)) : null);
        opened.completeExceptionally(cause);
        endWhenLetGo();
    }

    private static StatusCode notOk(TransportException cause) {
        return cause.code() == StatusCode.OK ? StatusCode.UNKNOWN : cause.code();
    }

    /// Another process has taken the consumer's place.
    final boolean wasAcceptedByAnother(RdmaChannel open) {
        return wasAccepted && incarnation != open.peerIncarnation();
    }

    /// The consumer's process is gone, or no way leads to it.
    final void onConsumerGone(TransportException cause) {
        channel = null;
        takeBack();
        fail(cause);
    }

    /// The memory of what is under way stays out of use.
    final void onMemoryStranded() {
        if (channel == null) {
            return;
        }
        synchronized (queue) {
            done += underWay.size();
            underWay.clear();
        }
    }

    /// Also for one that waits for its consumer: it may be the only one who wants another channel.
    final void onChannelLost(ChannelLoss loss) {
        if (over || !wasAccepted) {
            return;
        }
        channel = null;
        onChannelGone();
        takeBack();
        if (isEnding() || !loss.resumable()) {
            fail(loss.cause());
        } else if (!wantsChannel) {
            wantsChannel = true;
            wantChannel();
        }
    }

    /// What was started on the channel is not under way any more.
    abstract void onChannelGone();

    /// The consumer offers again by itself, or says that it wants no more; this tells if it cannot.
    private void wantChannel() {
        context.channels().withChannel(peer.name(), channelWaiter);
    }

    private final class NextChannel implements ChannelWaiter {
        @Override
        public void onChannel(RdmaChannel open) {
            wantsChannel = false;
        }

        @Override
        public void onNoChannel(TransportException cause) {
            wantsChannel = false;
            onConsumerGone(cause);
        }
    }
}
