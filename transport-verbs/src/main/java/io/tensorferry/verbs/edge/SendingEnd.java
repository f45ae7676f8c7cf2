package io.tensorferry.verbs.edge;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.EdgeSender;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.link.ChannelWaiter;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The producer's end of one edge of either kind. A sent tensor waits until it may go, is in progress, and completes
/// when the consumer has it ([SentTensors]). This end accepts the consumer's offer on each channel, and resumes there
/// with the tensors that are not complete.
///
/// Owner: the loop, except for the user's calls: [#send], [#startAbort], [#close].
abstract class SendingEnd implements EdgeSender {
    private final RendezvousKey key;
    private final String edge;
    private final EdgeContext context;
    private final PeerEdges peer;
    private final EndFutures futures;
    private final Runnable onSent = this::sendWhatMayGo;
    private final ChannelWaiter channelWaiter = new NextChannel();

    private final SentTensors tensors;

    private @Nullable RdmaChannel channel;
    private int number;
    private int opening;
    private long incarnation;
    private boolean wasAccepted;
    // Whether a request for another channel is pending.
    private boolean wantsChannel;
    // Tensors over all channels that the consumer is known to have.
    private long done;
    // The most tensors that were ever done or in progress.
    private long reached;
    private boolean lastWordSaid;
    private boolean over;

    /// @param edge the edge's description in error messages
    SendingEnd(RendezvousKey key, String edge, EdgeContext context, PeerEdges peer) {
        this.key = key;
        this.edge = edge;
        this.context = context;
        this.tensors = new SentTensors(edge);
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
    public final void send(Tensor tensor) {
        check(tensor);
        requireOpen(tensor);
        MemorySegment content = tensor.segment();
        long bytes = content.byteSize();
        if (bytes == 0 || regionOf(content.address(), bytes) != null) {
            tensors.add(tensor, null);
        } else {
            sendCopy(tensor, bytes);
        }
        context.loop().executeSoonest(onSent);
    }

    private void sendCopy(Tensor tensor, long bytes) {
        tensors.requireTaking();
        Tensor copy;
        // The owner may close its handle during the copy.
        try (Tensor source = tensor.share()) {
            copy = context.copy(source, allocate(bytes));
        }
        Tensor original;
        try {
            original = tensors.add(tensor, copy);
        } catch (RuntimeException e) {
            copy.close();
            throw e;
        }
        original.close();
    }

    /// @throws IllegalStateException if the handle is closed or was sent before
    private void requireOpen(Tensor tensor) {
        if (tensor.isClosed()) {
            throw tensors.cannotBeSent(tensor, null);
        }
    }

    /// @throws IllegalArgumentException if the edge does not carry this tensor
    abstract void check(Tensor tensor);

    /// The memory region that contains the whole range, if the edge can use it; else null. Any thread.
    @Nullable
    abstract MemoryRegion regionOf(long address, long bytes);

    /// Allocates memory that the edge can use. On the user's thread.
    abstract RegisteredBuffer allocate(long bytes);

    /// The memory region of a sent tensor.
    ///
    /// @throws IllegalStateException if the registration has ended
    final MemoryRegion requiredRegion(long address, long bytes) {
        MemoryRegion region = regionOf(address, bytes);
        if (region == null) {
            throw new IllegalStateException("the memory of a tensor of " + edge + " is no longer registered");
        }
        return region;
    }

    @Override
    public final void startAbort(TransportException cause) {
        context.loop().execute(() -> fail(cause));
    }

    @Override
    public final void close() {
        if (tensors.close()) {
            context.loop().execute(this::endIfAllIsDone);
        }
    }

    final boolean isBusy() {
        return tensors.isBusy();
    }

    /// Whether the offer is for this end, and not for an earlier or later end with the same key. An end without
    /// completed tensors may have accepted the last offer of a consumer's end that was already gone; it resumes with
    /// the next offer.
    final boolean goesOnWith(Message.Opening offer) {
        return !tensors.hasFailed()
                && (wasAccepted ? (offer.resumed() && offer.opening() == opening) || done == 0 : offer.received() == 0);
    }

    /// Whether the consumer has offered the edge on the open channel.
    final boolean isOnChannel() {
        return channel != null;
    }

    /// Whether the consumer's channel was lost and it has not offered on another.
    final boolean waitsForConsumer() {
        return wasAccepted && !over && channel == null;
    }

    /// Returns why the offer does not match this edge, or null if it does.
    @Nullable
    abstract String disagreement(RdmaChannel open, Message.Opening offer);

    /// Resumes over a channel, with the tensors that the consumer does not have.
    ///
    /// @param offer an offer that matches this end
    final void accept(RdmaChannel open, Message.Opening offer) {
        if (offer.received() > reached) {
            throw new ProtocolViolationException("it reports " + offer.received() + " received tensors of " + edge
                    + ", but " + reached + " were sent");
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
            Tensor tensor = tensors.removeWaiting();
            count(tensor);
            tensor.close();
        }
        begin(offer);
        open.send(new Message.EdgeStatus(number, done, Message.Direction.TO_RECEIVER, StatusCode.OK, ""));
        futures.open();
        sendWhatMayGo();
        endIfAllIsDone();
    }

    /// Applies the parameters of the consumer's offer.
    abstract void begin(Message.Opening offer);

    private void count(Tensor tensor) {
        done++;
        context.counters().tensorsSent.increment();
        context.counters().bytesSent.add(tensor.byteSize());
    }

    /// Handles a credit: `count` tensors are released.
    abstract void onCredit(long count);

    /// Handles the consumer's status that it gave the edge up.
    final void onGivenUp(Message.EdgeStatus status) {
        // First, so that no tensors are announced in place of the dropped ones.
        fail(new TransportException(status.code(), status.message(), peer.name(), 0, null));
        onReceiverStopped();
        endIfAllIsDone();
    }

    /// Called when the consumer has given the edge up on the open channel, and no longer uses memory of this end.
    abstract void onReceiverStopped();

    /// Sends waiting tensors, as far as they may go now.
    final void sendWhatMayGo() {
        RdmaChannel open = channel;
        while (open != null && open.isOpen() && !over && mayGo(tensors.inProgress())) {
            Tensor next = tensors.start();
            if (next == null) {
                break;
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

    /// Calls [#sendWhatMayGo()] by a command, after the current action of the loop.
    final void sendSoon() {
        context.loop().execute(onSent);
    }

    /// Whether another tensor may be in progress.
    abstract boolean mayGo(int alreadyUnderWay);

    /// Starts to send a tensor. [#completeOldest()], [#dropOldest()] or [#removeNewest()] follows, unless the channel
    /// is lost.
    ///
    /// @throws RuntimeException if the tensor cannot be read any more; nothing was started then
    abstract void start(RdmaChannel open, Tensor tensor, long sequence);

    /// Number of tensors that are complete or in progress.
    final long gone() {
        return done + tensors.inProgress();
    }

    /// Number of tensors that the consumer is known to have.
    final long done() {
        return done;
    }

    /// Completes the oldest tensor in progress, because the consumer has it; the caller closes it.
    final Tensor completeOldest() {
        Tensor tensor = dropOldest();
        count(tensor);
        return tensor;
    }

    /// Removes the oldest tensor in progress, because the consumer does not want it; the caller closes it.
    final Tensor dropOldest() {
        return tensors.removeOldest();
    }

    /// Removes the newest tensor in progress, because it was never sent; the caller closes it.
    final Tensor removeNewest() {
        return tensors.removeNewest();
    }

    /// Takes no more tensors, drops the waiting ones, and ends when those in progress are complete.
    final void fail(TransportException cause) {
        tensors.fail(cause);
        endIfAllIsDone();
    }

    private void endIfAllIsDone() {
        TransportException cause = over ? null : tensors.endWithoutWaiting();
        if (cause == null) {
            return;
        }
        if (tensors.inProgress() == 0) {
            end(cause);
        } else if (saysLastWordEarly()) {
            sayLastWord(cause);
        }
    }

    /// Whether some completed tensors cannot be closed yet. The consumer is done with the edge and may reuse its number
    /// and key; [#onLetGo] follows.
    abstract boolean isLettingGo();

    /// Called when completed tensors were closed.
    final void onLetGo() {
        sendWhatMayGo();
        endWhenLetGo();
    }

    private void endWhenLetGo() {
        if (over && !isLettingGo()) {
            futures.end();
        }
    }

    /// Whether to send the final status while tensors are in progress.
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
        futures.neverOpens(cause);
        endWhenLetGo();
    }

    private static StatusCode notOk(TransportException cause) {
        return cause.code() == StatusCode.OK ? StatusCode.UNKNOWN : cause.code();
    }

    /// Whether another process has replaced the consumer's.
    final boolean wasAcceptedByAnother(RdmaChannel open) {
        return wasAccepted && incarnation != open.peerIncarnation();
    }

    /// Fails this end, because the consumer's process is gone or unreachable.
    final void onConsumerGone(TransportException cause) {
        channel = null;
        tensors.takeBack();
        fail(cause);
    }

    /// Keeps the memory of the tensors in progress out of use.
    final void onMemoryStranded() {
        if (channel != null) {
            done += tensors.strand();
        }
    }

    /// Also called for an end that waits for its consumer: it may be the only one that requests another channel.
    final void onChannelLost(ChannelLoss loss) {
        if (over || !wasAccepted) {
            return;
        }
        channel = null;
        onChannelGone();
        tensors.takeBack();
        if (tensors.hasFailed() || !loss.resumable()) {
            fail(loss.cause());
        } else if (!wantsChannel) {
            wantsChannel = true;
            wantChannel();
        }
    }

    /// Called when requests started on the channel are no longer in progress.
    abstract void onChannelGone();

    /// Requests a channel. The consumer offers again by itself, or reports that it gave up; this detects that it
    /// cannot.
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
