package io.tensorferry.verbs.edge;

import io.tensorferry.api.DynamicEdge;
import io.tensorferry.api.DynamicReceiver;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
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

/// The consumer's end of a dynamic edge: allocates memory for each tensor that is announced, reads the content, and
/// says so in batches.
///
/// ```
/// announced -- memory is there --> reading -- read, and all before it --> arrived -- take --> the consumer's
/// ```
///
/// A tensor is released when it has arrived and not too many are here that nobody has taken, or when the edge is
/// offered on another channel. It is read when there is room: at most twice as many as there are slots are here.
///
/// Owner: the loop, but for what the consumer does: [#poll], [#take].
final class DynamicReceivingEnd extends ReceivingEnd implements DynamicReceiver {
    private final DynamicEdge edge;
    // Those that have arrived and are not taken, by their sequence numbers.
    private final AtomicReferenceArray<@Nullable Tensor> landed;
    private final Runnable onTaken = this::releaseAndReadOn;
    // That it is short of takers: some have arrived that are not released, or are not read.
    private volatile boolean awaitsTaker;

    // Announced on this channel and not arrived, oldest first.
    private final ArrayDeque<Incoming> incoming = new ArrayDeque<>();
    // Those of them that wait for room.
    private final ArrayDeque<Incoming> waiting = new ArrayDeque<>();
    private int reading;

    DynamicReceivingEnd(DynamicEdge edge, EdgeContext context, PeerEdges peer) {
        super(edge.key(), edge.toString(), context, peer);
        this.edge = edge;
        this.landed = new AtomicReferenceArray<>(2 * edge.slots());
    }

    @Override
    void checkMayTake() {
        // One that has arrived is the consumer's.
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
            // The producer has it back when it hears that this end gave up.
            return;
        }
        var next = new Incoming(open, tensor);
        incoming.add(next);
        waiting.add(next);
        readOn();
    }

    /// Reads those for which there is room.
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
        // Looked at again: one may have been taken before that was said.
        return next < taken() + landed.length();
    }

    private void check(Message.EdgeTensor tensor, long expected) {
        if (hasLastWord() || tensor.sequence() != expected) {
            throw new ProtocolViolationException("it announced tensor " + tensor.sequence() + " of edge " + number()
                    + ", where " + (hasLastWord() ? "none" : expected) + " comes next");
        }
        if (expected - saidReleased() >= edge.slots()) {
            throw new ProtocolViolationException("it announced tensor " + expected + " of edge " + number() + " with "
                    + saidReleased() + " released and " + edge.slots() + " slots");
        }
        RdmaChannel open = channel();
        if (open == null || open.description().readsAtOnce() == 0) {
            throw new ProtocolViolationException(
                    "it announced a tensor of edge " + number() + " where nothing is read");
        }
        if (tensor.metaData().byteSize() > edge.largestBytes()) {
            throw new ProtocolViolationException("it announced " + tensor.metaData() + " over " + edge);
        }
    }

    /// The oldest that have been read have arrived.
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
        throw new ProtocolViolationException("it wrote edge " + number() + ", which is a dynamic one");
    }

    @Override
    long come() {
        return hasGivenUp() ? 0 : arrived() + incoming.size();
    }

    @Override
    long mostPossible() {
        return saidReleased() + edge.slots();
    }

    /// Nothing more comes, so that it does not matter whether somebody takes what is here.
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
        // Looked at again: it may have been taken before that was said.
        return Math.min(arrived(), taken() + edge.slots());
    }

    /// All that have arrived: the offer says so.
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
        // What was read into is the consumer's, or closed.
    }

    /// Its reads have ended.
    @Override
    void onChannelGone() {
        incoming.forEach(Incoming::drop);
        incoming.clear();
        waiting.clear();
    }

    /// One tensor that was announced on one channel.
    private final class Incoming extends ContentRead {
        private final RdmaChannel open;
        private final Message.EdgeTensor announced;
        private @Nullable Tensor tensor;
        private boolean read;
        // Nobody waits for it any more.
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
                throw new IllegalStateException("tensor " + announced.sequence() + " of " + edge + " is not here");
            }
            tensor = null;
            return taken;
        }

        /// Finds memory: now, if that takes no registration.
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
            // A slab is to be registered, or memory to be waited for.
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
                                        StatusCode.INTERNAL, "a tensor of " + edge + " has no memory: " + e, e));
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
                throw new IllegalStateException("the pool gave memory that is not registered");
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

        /// Nobody wants it any more: its memory goes back unless the device may still write there.
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
