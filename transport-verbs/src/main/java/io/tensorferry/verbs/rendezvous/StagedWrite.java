package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorOptions;
import io.tensorferry.verbs.accelerator.CopyTask;
import io.tensorferry.verbs.accelerator.Proxy;
import io.tensorferry.verbs.accelerator.ProxyWaiter;
import io.tensorferry.verbs.channel.ContentWrite;
import io.tensorferry.verbs.channel.RdmaChannel;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The way of a response's content from an accelerator into memory that the peer has named as a whole. The content is
/// cut into chunks, several of which are under way: while one is written the next are copied.
///
/// ```
/// proxy -> copy to the host -> write -> proxy back, or another chunk into it
/// ```
///
/// Chunks are copied in their order, and written in it. They go over the lanes that the content would go over from host
/// memory, one chunk over one lane; the last of each lane brings the immediate.
///
/// It ends once: all is written, or the channel is lost, or a copy has failed and nothing is under way any more. Where
/// it ended by its last write, it serves for another content.
///
/// Owner: the loop. Nothing is made per chunk while proxies are to be had.
final class StagedWrite implements ProxyWaiter {
    private final RendezvousCounters counters;
    private final int pieceBytes;
    private final Chunk[] all;
    // Those that nothing is done with, in the first places.
    private final Chunk[] idle;
    private int idleCount;

    private @Nullable TensorResponse response;
    private @Nullable StagedTensor source;
    private @Nullable RdmaChannel channel;
    private long bytes;
    private long remoteAddress;
    private int remoteKey;
    private int chunkBytes;
    private int chunks;
    private int lanes;
    private int homeLane;
    // The first that has not begun.
    private int next;
    // A proxy for it was asked for, and not given.
    private boolean asking;
    private boolean advancing;
    private boolean ended;
    private @Nullable TransportException failure;

    StagedWrite(RendezvousCounters counters, AcceleratorOptions options) {
        this.counters = counters;
        this.pieceBytes = options.pieceBytes();
        this.all = new Chunk[options.piecesAtOnce()];
        this.idle = new Chunk[all.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Chunk();
            giveIdle(all[i]);
        }
    }

    /// Writes the content; its response is told of the end, perhaps before this returns.
    ///
    /// @param size of the content, 1 byte or more
    /// @param address where the peer has memory for it
    void begin(TensorResponse of, StagedTensor from, long size, RdmaChannel over, long address, int key) {
        response = of;
        source = from;
        channel = over;
        bytes = size;
        remoteAddress = address;
        remoteKey = key;
        chunkBytes = Math.min(pieceBytes, over.chunkBytes());
        lanes = over.lanesOf(size);
        homeLane = over.laneOf(of.requestIndex());
        // One at least for each lane, for its immediate: of no bytes if there are not so many.
        chunks = Math.max(dataChunks(), lanes);
        next = 0;
        ended = false;
        failure = null;
        advance();
    }

    private int dataChunks() {
        return Math.toIntExact((bytes - 1) / chunkBytes + 1);
    }

    private long lengthOf(int chunk) {
        return Math.clamp(bytes - (long) chunk * chunkBytes, 0, chunkBytes);
    }

    private int laneOf(int chunk) {
        return lanes == 1 ? homeLane : 1 + (homeLane - 1 + chunk) % lanes;
    }

    /// Begins as many chunks as may be under way.
    private void advance() {
        if (advancing) {
            return;
        }
        advancing = true;
        try {
            while (!asking && mayBegin()) {
                long length = lengthOf(next);
                if (length == 0) {
                    takeIdle().post();
                } else {
                    asking = true;
                    source().unit().sendProxies().acquire(length, response().peer(), this);
                }
            }
        } finally {
            advancing = false;
        }
    }

    /// Not over a channel that is lost, which gives back what was posted before this hears of it.
    private boolean mayBegin() {
        return !ended
                && failure == null
                && next < chunks
                && idleCount > 0
                && channel().isOpen();
    }

    @Override
    public void onProxy(Proxy proxy) {
        asking = false;
        if (mayBegin()) {
            takeIdle().copyInto(proxy);
            advance();
        } else {
            proxy.close();
            endIfQuiet();
        }
    }

    @Override
    public void onNoProxy(TransportException cause) {
        asking = false;
        // There may be none because copies have kept theirs.
        fail(source().unit().firstCause(cause));
        endIfQuiet();
    }

    /// Nothing else begins.
    private void fail(TransportException cause) {
        if (failure == null) {
            failure = cause;
            stopAsking();
        }
    }

    private void stopAsking() {
        if (asking) {
            asking = false;
            source().unit().sendProxies().cancel(this);
        }
    }

    /// All that has begun is over, and nothing else is to begin.
    private void endIfQuiet() {
        if (ended || idleCount < all.length) {
            return;
        }
        TransportException cause = failure;
        if (cause != null) {
            end();
            response().onStagingFailed(cause);
        } else if (next == chunks) {
            end();
            counters.tensorsSent.increment();
            counters.bytesSent.add(bytes);
            TensorResponse written = response();
            response = null;
            source = null;
            written.onStagedWritten(this);
        }
    }

    /// The channel is lost. What is copied goes on, and is not written.
    void abandon() {
        if (!ended) {
            stopAsking();
            end();
            response().onStagingAbandoned();
        }
    }

    private void end() {
        ended = true;
        channel = null;
    }

    /// The device of a lost channel may go on reading what it was given: nobody gets it any more.
    void strandProxies() {
        for (Chunk chunk : all) {
            chunk.strand();
        }
    }

    private Chunk takeIdle() {
        return idle[--idleCount];
    }

    private void giveIdle(Chunk chunk) {
        idle[idleCount++] = chunk;
    }

    private TensorResponse response() {
        return Objects.requireNonNull(response, "nothing is written");
    }

    private StagedTensor source() {
        return Objects.requireNonNull(source, "nothing is written");
    }

    private RdmaChannel channel() {
        return Objects.requireNonNull(channel, "nothing is written any more");
    }

    /// A part of the content on its way; one after the other.
    private final class Chunk extends ContentWrite {
        private final Copy copy = new Copy();
        private int number;
        private @Nullable Proxy proxy;
        private boolean posted;

        @Override
        public int encodedSize() {
            throw new IllegalStateException("a part of a content does not go inside the ring");
        }

        @Override
        public int encode(MemorySegment target, long offset, int room) {
            throw new IllegalStateException("a part of a content does not go inside the ring");
        }

        /// Takes the next chunk, and the proxy.
        void copyInto(Proxy given) {
            number = next++;
            proxy = given;
            long length = lengthOf(number);
            MemorySegment target = given.segment();
            source().copy(
                            (long) number * chunkBytes,
                            length < target.byteSize() ? target.asSlice(0, length) : target,
                            copy);
        }

        /// Takes the next chunk, which has no bytes.
        void post() {
            number = next++;
            set(0, 0, 0, 0, 0, response().requestIndex());
            write();
        }

        private void write() {
            if (number + lanes < chunks) {
                setSilent();
            }
            posted = true;
            channel().writePart(this, laneOf(number));
        }

        private void onCopied() {
            source().copied();
            if (ended || failure != null) {
                giveBack();
                return;
            }
            Proxy filled = proxy();
            set(
                    filled.address(),
                    lengthOf(number),
                    filled.region().localKey(),
                    remoteAddress + (long) number * chunkBytes,
                    remoteKey,
                    response().requestIndex());
            write();
        }

        private void onCopyFailed(TransportException cause, boolean stranded) {
            source().copied();
            // Before the pool hears of the proxy, and perhaps has none for this any more.
            fail(cause);
            if (stranded) {
                proxy().strand();
                proxy = null;
            }
            giveBack();
        }

        @Override
        protected void onWritten() {
            posted = false;
            Proxy free = proxy;
            if (free != null && !asking && mayBegin() && mayKeep(free)) {
                copyInto(free);
                return;
            }
            giveBack();
            advance();
        }

        /// Whether the next chunk may go into it: nobody waits for it.
        private boolean mayKeep(Proxy free) {
            long length = lengthOf(next);
            return length > 0
                    && length <= free.byteSize()
                    && !source().unit().sendProxies().isAwaited();
        }

        @Override
        protected void onAbandoned() {
            posted = false;
            abandon();
            giveBack();
        }

        private void giveBack() {
            giveIdle(this);
            closeProxy();
            endIfQuiet();
        }

        /// It serves whoever waits first, perhaps this.
        private void closeProxy() {
            Proxy free = proxy;
            proxy = null;
            if (free != null) {
                free.close();
            }
        }

        private void strand() {
            if (posted && proxy != null) {
                proxy.strand();
                proxy = null;
            }
        }

        private Proxy proxy() {
            return Objects.requireNonNull(proxy, "the chunk has no proxy");
        }

        /// Brings the chunk to the host.
        private final class Copy extends CopyTask {
            @Override
            protected void onDone() {
                onCopied();
            }

            @Override
            protected void onFailed(TransportException cause, boolean stranded) {
                onCopyFailed(cause, stranded);
            }
        }
    }
}
