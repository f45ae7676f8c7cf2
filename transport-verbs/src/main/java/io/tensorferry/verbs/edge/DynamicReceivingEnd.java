package io.tensorferry.verbs.edge;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicReceiver;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.ContentRead;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// The consumer's end of a dynamic edge: allocates memory for each announced tensor, reads the content, and releases
/// tensors in batches.
///
/// ```
/// announced -- memory available --> reading -- read, and all before it --> arrived -- take --> owned by the consumer
/// ```
///
/// A tensor is released when it has arrived and at most `slots` arrived tensors are not taken, or when the edge is
/// offered on another channel. It is read when there is room: at most twice `slots` tensors are allocated and not
/// taken.
///
/// Owner: the loop, except for the consumer's calls: [#poll], [#take].
final class DynamicReceivingEnd extends ReceivingEnd implements DynamicReceiver {
    private final DynamicEdge edge;
    // Tensors that have arrived and are not taken, by sequence number.
    private final AtomicReferenceArray<@Nullable Tensor> landed;
    private final Runnable onTaken = this::releaseAndReadOn;
    // Whether a tensor waits for [#take]: some have arrived that are not released, or are not read.
    private volatile boolean awaitsTaker;

    // Tensors announced on this channel that have not arrived, oldest first.
    private final ArrayDeque<Incoming> incoming = new ArrayDeque<>();
    // Tensors among `incoming` that wait for room.
    private final ArrayDeque<Incoming> waiting = new ArrayDeque<>();
    private int reading;

    DynamicReceivingEnd(DynamicEdge edge, EdgeContext context, PeerEdges peer) {
        super(edge.key(), edge.toString(), context, peer);
        this.edge = edge;
        this.landed = new AtomicReferenceArray<>(2 * edge.slots());
    }

    @Override
    void checkMayTake() {
        // The consumer owns every tensor that has arrived.
    }

    @Override
    Tensor arrivedTensor(long sequence) {
        Tensor tensor = landed.getAndSet(place(sequence), null);
        if (tensor == null) {
            throw closedException();
        }
        return tensor;
    }

    private int place(long sequence) {
        return (int) (sequence % landed.length());
    }

    @Override
    void onTaken() {
        if (awaitsTaker) {
            context().loop().executeSoonest(onTaken);
        }
    }

    @Override
    void onClosed() {
        for (int i = 0; i < landed.length(); i++) {
            Tensor tensor = landed.getAndSet(i, null);
            if (tensor != null) {
                tensor.close();
            }
        }
    }

    @Override
    void sendOffer(RdmaChannel open) {
        open.send(new Message.DynamicOffer(
                number(), key(), edge.slots(), edge.largestBytes(), resumes(), opening(), arrived()));
    }

    @Override
    void onTensor(Message.EdgeTensor tensor) {
        onAccepted();
        long sequence = arrived() + incoming.size();
        if (!hasGivenUp()) {
            check(tensor, sequence);
        }
        RdmaChannel open = channel();
        if (hasGivenUp() || open == null) {
            // The producer reclaims the tensor when it learns that this end gave up.
            return;
        }
        var next = new Incoming(open, tensor);
        incoming.add(next);
        waiting.add(next);
        readOn();
    }

    /// Starts to read the waiting tensors for which there is room.
    private void readOn() {
        while (!waiting.isEmpty() && !hasGivenUp() && hasRoom()) {
            waiting.remove().allocate();
        }
    }

    private boolean hasRoom() {
        long next = arrived() + incoming.size() - waiting.size();
        if (next < taken() + landed.length()) {
            return true;
        }
        awaitsTaker = true;
        // Checked again: a tensor may have been taken before the flag was set.
        return next < taken() + landed.length();
    }

    private void check(Message.EdgeTensor tensor, long expected) {
        if (hasLastWord() || tensor.sequence() != expected) {
            throw new ProtocolViolationException("it announced tensor " + tensor.sequence() + " of edge " + number()
                    + ", expected " + (hasLastWord() ? "none" : expected));
        }
        if (expected - saidReleased() >= edge.slots()) {
            throw new ProtocolViolationException("it announced tensor " + expected + " of edge " + number() + " with "
                    + saidReleased() + " released and " + edge.slots() + " slots");
        }
        RdmaChannel open = channel();
        if (open == null || open.description().readsAtOnce() == 0) {
            throw new ProtocolViolationException(
                    "it announced a tensor of edge " + number() + " over a channel without reads");
        }
        if (tensor.metaData().byteSize() > edge.largestBytes()) {
            throw new ProtocolViolationException("it announced " + tensor.metaData() + ", too large for " + edge);
        }
    }

    /// Publishes, in order, the tensors that have been read.
    private void arriveInOrder() {
        while (!incoming.isEmpty() && incoming.element().isRead()) {
            Incoming first = incoming.remove();
            if (!isPublishing()) {
                first.drop();
            } else {
                landed.set(place(arrived()), first.takeTensor());
            }
            onArrived(first.bytes());
        }
        releaseAndReadOn();
    }

    private void releaseAndReadOn() {
        sendCredit();
        readOn();
    }

    @Override
    void onContent(int lane) {
        throw new ProtocolViolationException("it wrote to the dynamic edge " + number());
    }

    @Override
    long come() {
        return hasGivenUp() ? 0 : arrived() + incoming.size();
    }

    @Override
    long mostPossible() {
        return saidReleased() + edge.slots();
    }

    /// No more tensors follow, so the release does not depend on [#take].
    @Override
    void onLastWord() {
        sendCredit();
    }

    @Override
    boolean comesAgain() {
        return true;
    }

    @Override
    boolean mayLandAfterGivingUp() {
        return false;
    }

    @Override
    boolean isReading() {
        return reading > 0;
    }

    @Override
    long releasable() {
        if (hasLastWord()) {
            return arrived();
        }
        boolean waits = !waiting.isEmpty() || arrived() > taken() + edge.slots();
        if (awaitsTaker != waits) {
            awaitsTaker = waits;
        }
        // Read again: a tensor may have been taken before the flag was set.
        return Math.min(arrived(), taken() + edge.slots());
    }

    /// All tensors that have arrived, as the offer reports.
    @Override
    long releasedByOffer() {
        return arrived();
    }

    @Override
    boolean isWorthACredit(long unsaid) {
        return unsaid >= (edge.slots() + 3) / 4 || incoming.isEmpty();
    }

    @Override
    void onEnding() {
        sendCredit(true);
    }

    @Override
    void letGo(Runnable then) {
        onChannelGone();
        then.run();
    }

    @Override
    void onLetGo() {
        // The consumer owns the tensors that were read, or they are closed.
    }

    /// Its reads have ended.
    @Override
    void onChannelGone() {
        incoming.forEach(Incoming::drop);
        incoming.clear();
        waiting.clear();
    }

    /// One tensor announced on one channel.
    private final class Incoming extends ContentRead {
        private final RdmaChannel open;
        private final Message.EdgeTensor announced;
        private @Nullable Tensor tensor;
        private boolean read;
        // Whether the tensor is not needed any more.
        private boolean dropped;
        private boolean underWay;

        private Incoming(RdmaChannel open, Message.EdgeTensor announced) {
            this.open = open;
            this.announced = announced;
        }

        private long bytes() {
            return announced.metaData().byteSize();
        }

        private boolean isRead() {
            return read;
        }

        private Tensor takeTensor() {
            Tensor taken = tensor;
            if (taken == null) {
                throw new IllegalStateException("tensor " + announced.sequence() + " of " + edge + " has not arrived");
            }
            tensor = null;
            return taken;
        }

        /// Allocates memory: at once, if that requires no registration.
        private void allocate() {
            TensorMetaData metaData = announced.metaData();
            RegisteredMemory memory = context().memory();
            try {
                if (metaData.byteSize() == 0) {
                    onAllocated(memory.allocatorNow().allocate(metaData.dataType(), metaData.shape()));
                    return;
                }
                RegisteredBuffer buffer = memory.allocateIfThere(metaData.byteSize());
                if (buffer != null) {
                    onAllocated(buffer.toTensor(metaData.dataType(), metaData.shape()));
                    return;
                }
            } catch (TransportException e) {
                giveUp(e);
                return;
            }
            // A slab must be registered, or memory awaited.
            context().workers().execute(() -> {
                try {
                    Tensor made = memory.allocator().allocate(metaData.dataType(), metaData.shape());
                    context().loop().execute(() -> onAllocated(made));
                } catch (RuntimeException | Error e) {
                    context().loop().execute(() -> onNotAllocated(e));
                }
            });
        }

        private void onNotAllocated(Throwable e) {
            if (!dropped) {
                giveUp(
                        e instanceof TransportException known
                                ? known
                                : new TransportException(
                                        StatusCode.INTERNAL, "cannot allocate a tensor of " + edge + ": " + e, e));
            }
        }

        private void onAllocated(Tensor made) {
            if (dropped || hasGivenUp()) {
                made.close();
                return;
            }
            tensor = made;
            MemorySegment into = made.segment();
            if (into.byteSize() == 0) {
                read = true;
                arriveInOrder();
                return;
            }
            var region = context().memory().regionOf(into.address(), into.byteSize());
            if (region == null) {
                throw new IllegalStateException("the pool allocated memory that is not registered");
            }
            set(into.address(), into.byteSize(), region.localKey(), announced.address(), announced.remoteKey());
            underWay = true;
            reading++;
            open.read(this, number());
        }

        @Override
        protected void onContentRead() {
            underWay = false;
            reading--;
            read = true;
            if (dropped) {
                drop();
            } else if (!hasGivenUp()) {
                arriveInOrder();
            }
            sayGivenUp();
        }

        @Override
        public void onContentAbandoned() {
            underWay = false;
            reading--;
            drop();
        }

        /// Drops the tensor: its memory is freed unless the device may still write to it.
        private void drop() {
            dropped = true;
            Tensor unwanted = tensor;
            if (unwanted != null && !underWay && !isStranded()) {
                tensor = null;
                unwanted.close();
            }
        }
    }
}
