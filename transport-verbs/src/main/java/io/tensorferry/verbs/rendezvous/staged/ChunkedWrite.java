package io.tensorferry.verbs.rendezvous.staged;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.CopyTask;
import io.tensorferry.verbs.accelerator.Proxy;
import io.tensorferry.verbs.accelerator.ProxyWaiter;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.ContentWrite;
import io.tensorferry.verbs.rendezvous.RendezvousCounters;
import io.tensorferry.verbs.rendezvous.content.OutgoingContent;
import io.tensorferry.verbs.rendezvous.content.StagedTensor;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The way of a response's content to the peer, chunk by chunk, each over one lane; several are under way. From an
/// accelerator each goes through a proxy: while one is written the next are copied.
///
/// ```
/// proxy -> copy to the host -> write -> proxy back, or another chunk into it
/// ```
///
/// Chunks are copied in their order, and written in it. Which they are, and where they go, a subclass says.
///
/// It ends once: all is written, or it was stopped, or the channel is lost, or a copy has failed and nothing is under
/// way any more.
///
/// Owner: the loop. Nothing is made per chunk while proxies are to be had.
public abstract sealed class ChunkedWrite implements ProxyWaiter permits StagedWrite, PieceServer {
    /// The response whose content is written.
    public interface Owner {
        int requestIndex();

        /// The worker that the content is for.
        String peer();

        /// All chunks are written. Nothing refers to `written` any more.
        void onChunksWritten(ChunkedWrite written);

        /// The receiver has given up a content in pieces; nothing of it is under way any more.
        void onPiecesStopped();

        /// The channel is lost. Copies may still be under way, and their chunks are not written.
        void onStagingAbandoned();

        /// A chunk cannot be copied to the host; nothing of the content is under way any more.
        void onStagingFailed(TransportException cause);
    }

    private final RendezvousCounters counters;
    private final Chunk[] all;
    // Those that nothing is done with, in the first places.
    private final Chunk[] idle;
    private int idleCount;

    private @Nullable Owner response;
    // Null where the device reads the content as it is, from the address and with the key.
    private @Nullable StagedTensor source;
    private long localAddress;
    private int localKey;
    // Whether only the device reads the content: the chunks that are not copied.
    private boolean outOfReach;
    private @Nullable RdmaChannel channel;
    private long bytes;
    // A proxy for the next was asked for, and not given.
    private boolean asking;
    private boolean advancing;
    // Nobody wants the rest.
    private boolean stopped;
    private boolean ended;
    private @Nullable TransportException failure;

    /// @param atOnce chunks that are under way at the same time
    ChunkedWrite(RendezvousCounters counters, int atOnce) {
        this.counters = counters;
        this.all = new Chunk[atOnce];
        this.idle = new Chunk[atOnce];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Chunk();
            giveIdle(all[i]);
        }
    }

    /// Takes a content; its response is told of the end.
    ///
    /// @param content of 1 byte or more
    final void open(Owner of, OutgoingContent content, RdmaChannel over) {
        response = of;
        source = content.staged();
        localAddress = content.address();
        localKey = content.localKey();
        outOfReach = source == null && !content.isHostReadable();
        channel = over;
        bytes = content.metaData().byteSize();
        stopped = false;
        ended = false;
        failure = null;
    }

    /// Whether a chunk is known that has not begun, and is to.
    abstract boolean hasNext();

    /// Bytes of that chunk.
    abstract long nextLength();

    /// Takes that chunk: tells it what it is.
    abstract void takeNext(Chunk chunk);

    /// Whether all chunks of the content have begun.
    abstract boolean isAllBegun();

    /// Bytes of the content.
    final long bytes() {
        return bytes;
    }

    /// Begins as many chunks as may be under way.
    final void advance() {
        if (advancing) {
            return;
        }
        advancing = true;
        try {
            while (!asking && mayBegin()) {
                StagedTensor from = source;
                long length = nextLength();
                if (from == null || length == 0) {
                    takeIdle().writeNext();
                } else {
                    asking = true;
                    from.unit().sendProxies().acquire(length, response().peer(), this);
                }
            }
        } finally {
            advancing = false;
        }
    }

    /// Not over a channel that is lost, which gives back what was posted before this hears of it.
    private boolean mayBegin() {
        return !ended && !isStopped() && idleCount > 0 && hasNext() && channel().isOpen();
    }

    @Override
    public final void onProxy(Proxy proxy) {
        asking = false;
        if (mayBegin()) {
            takeIdle().copyNextInto(proxy);
            advance();
        } else {
            proxy.close();
            endIfQuiet();
        }
    }

    @Override
    public final void onNoProxy(TransportException cause) {
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

    /// Nothing else begins, and what is copied is not written: ends as soon as nothing is under way.
    final void stop() {
        stopped = true;
        stopAsking();
        endIfQuiet();
    }

    /// Whether nothing else begins, because nobody wants it, or something went wrong.
    final boolean isStopped() {
        return stopped || failure != null;
    }

    private void stopAsking() {
        if (asking) {
            asking = false;
            source().unit().sendProxies().cancel(this);
        }
    }

    /// Ends it, if all that has begun is over, and nothing else is to begin.
    private void endIfQuiet() {
        if (ended || idleCount < all.length) {
            return;
        }
        TransportException cause = failure;
        if (cause != null) {
            end().onStagingFailed(cause);
        } else if (stopped) {
            end().onPiecesStopped();
        } else if (isAllBegun()) {
            counters.tensorsSent.increment();
            counters.bytesSent.add(bytes);
            Owner written = end();
            response = null;
            source = null;
            written.onChunksWritten(this);
        }
    }

    /// The channel is lost. What is copied goes on, and is not written.
    public final void abandon() {
        if (!ended) {
            stopAsking();
            end().onStagingAbandoned();
        }
    }

    /// Nothing else comes of it; its response is to be told.
    private Owner end() {
        ended = true;
        channel = null;
        return response();
    }

    /// The device of a lost channel may go on reading what it was given: nobody gets it any more.
    public final void strandProxies() {
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

    private Owner response() {
        return Objects.requireNonNull(response, "nothing is written");
    }

    private StagedTensor source() {
        return Objects.requireNonNull(source, "nothing is copied");
    }

    final RdmaChannel channel() {
        return Objects.requireNonNull(channel, "nothing is written any more");
    }

    /// A part of the content on its way; one after the other.
    final class Chunk extends ContentWrite {
        private final Copy copy = new Copy();
        private long offset;
        private long length;
        private long remoteAddress;
        private int remoteKey;
        private int lane;
        private boolean last;
        private @Nullable Proxy proxy;
        private boolean posted;

        /// Becomes a part of the content.
        ///
        /// @param address where it goes
        /// @param over the lane
        /// @param brings whether the immediate goes behind it
        void be(long from, long size, long address, int key, int over, boolean brings) {
            offset = from;
            length = size;
            remoteAddress = address;
            remoteKey = key;
            lane = over;
            last = brings;
        }

        private void copyNextInto(Proxy given) {
            takeNext(this);
            proxy = given;
            MemorySegment target = given.segment();
            source().copy(offset, length < target.byteSize() ? target.asSlice(0, length) : target, copy);
        }

        /// Without a copy: there is nothing to be copied.
        private void writeNext() {
            takeNext(this);
            write(localAddress + offset, localKey);
        }

        private void write(long from, int key) {
            boolean any = length > 0;
            set(
                    any ? from : 0,
                    length,
                    any ? key : 0,
                    any ? remoteAddress : 0,
                    any ? remoteKey : 0,
                    response().requestIndex());
            if (!last) {
                setSilent();
            }
            if (outOfReach) {
                setOutOfReach();
            }
            posted = true;
            channel().writePart(this, lane);
        }

        private void onCopied() {
            source().copied();
            if (ended || isStopped()) {
                giveBack();
                return;
            }
            Proxy filled = proxy();
            write(filled.address(), filled.region().localKey());
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
        public void onWritten() {
            posted = false;
            Proxy free = proxy;
            if (free != null && !asking && mayContinueWith(free)) {
                copyNextInto(free);
                return;
            }
            giveBack();
            advance();
        }

        /// Whether the next chunk may go into it, of which this is to be the place: nobody waits for it.
        private boolean mayContinueWith(Proxy free) {
            if (ended || isStopped() || !hasNext() || !channel().isOpen()) {
                return false;
            }
            long next = nextLength();
            return next > 0
                    && next <= free.byteSize()
                    && !source().unit().sendProxies().isAwaited();
        }

        @Override
        public void onAbandoned() {
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
