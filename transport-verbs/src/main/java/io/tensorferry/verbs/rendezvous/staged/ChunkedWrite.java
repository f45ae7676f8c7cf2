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

/// Writes a response's content to the peer chunk by chunk, with several chunks in flight, each over one lane. Chunks
/// from an accelerator go through proxy buffers: while one chunk is written, the next are copied.
///
/// ```
/// proxy -> copy to the host -> write -> proxy back, or another chunk into it
/// ```
///
/// Chunks are copied and written in order. The subclass determines the chunks and their destinations.
///
/// The write ends exactly once: when all chunks are written, when it was stopped, when the channel is lost, or when a
/// copy has failed and no chunk is in flight any more.
///
/// Owner: the loop. Chunks allocate nothing while proxies are available.
public abstract sealed class ChunkedWrite implements ProxyWaiter permits StagedWrite, PieceServer {
    /// The response whose content is written.
    public interface Owner {
        int requestIndex();

        /// The worker that the content is for.
        String peer();

        /// All chunks are written. Nothing refers to `written` any more.
        void onChunksWritten(ChunkedWrite written);

        /// The receiver has given up a content in pieces; no chunk is in flight any more.
        void onPiecesStopped();

        /// The channel is lost. Copies may still be in progress; their chunks will not be written.
        void onStagingAbandoned();

        /// A chunk cannot be copied to the host; no chunk is in flight any more.
        void onStagingFailed(TransportException cause);
    }

    private final RendezvousCounters counters;
    private final Chunk[] all;
    // The idle chunks, in the first `idleCount` places.
    private final Chunk[] idle;
    private int idleCount;

    private @Nullable Owner response;
    // Null if the device reads the content directly, from `localAddress` with `localKey`.
    private @Nullable StagedTensor source;
    private long localAddress;
    private int localKey;
    // Whether only the device can read the content; such chunks are not copied.
    private boolean outOfReach;
    private @Nullable RdmaChannel channel;
    private long bytes;
    // A proxy for the next chunk was requested and has not been granted.
    private boolean asking;
    private boolean advancing;
    // The rest of the content is not wanted.
    private boolean stopped;
    private boolean ended;
    private @Nullable TransportException failure;

    /// @param atOnce the number of chunks in flight at the same time
    ChunkedWrite(RendezvousCounters counters, int atOnce) {
        this.counters = counters;
        this.all = new Chunk[atOnce];
        this.idle = new Chunk[atOnce];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Chunk();
            giveIdle(all[i]);
        }
    }

    /// Takes a content and its response, which is notified of the end.
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

    /// Whether a chunk is ready to begin.
    abstract boolean hasNext();

    /// The length of that chunk in bytes.
    abstract long nextLength();

    /// Takes that chunk: initialises `chunk` with its properties.
    abstract void takeNext(Chunk chunk);

    /// Whether all chunks of the content have begun.
    abstract boolean isAllBegun();

    /// The size of the content in bytes.
    final long bytes() {
        return bytes;
    }

    /// Begins as many chunks as may be in flight.
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

    /// False on a lost channel, which returns posted writes before this object is notified.
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
        // Failed copies may have kept their proxies, so that none is left.
        fail(source().unit().firstCause(cause));
        endIfQuiet();
    }

    /// Records the failure; no further chunk begins.
    private void fail(TransportException cause) {
        if (failure == null) {
            failure = cause;
            stopAsking();
        }
    }

    /// Begins no further chunk and writes no copied chunk; ends as soon as no chunk is in flight.
    final void stop() {
        stopped = true;
        stopAsking();
        endIfQuiet();
    }

    /// Whether no further chunk begins, because of a stop or a failure.
    final boolean isStopped() {
        return stopped || failure != null;
    }

    private void stopAsking() {
        if (asking) {
            asking = false;
            source().unit().sendProxies().cancel(this);
        }
    }

    /// Ends the write if no chunk is in flight and none will begin.
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

    /// Ends the write because the channel is lost. Copies in progress continue, and their chunks are not written.
    public final void abandon() {
        if (!ended) {
            stopAsking();
            end().onStagingAbandoned();
        }
    }

    /// Marks the write as ended; returns the response to notify.
    private Owner end() {
        ended = true;
        channel = null;
        return response();
    }

    /// Abandons the proxies of posted writes: the device of a lost channel may still read them, so they are never
    /// reused.
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
        return Objects.requireNonNull(response, "no response is being written");
    }

    private StagedTensor source() {
        return Objects.requireNonNull(source, "no tensor is being copied");
    }

    final RdmaChannel channel() {
        return Objects.requireNonNull(channel, "the channel is gone");
    }

    /// A reusable slot for one chunk of the content.
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

        /// Initialises the chunk.
        ///
        /// @param address the remote address
        /// @param over the lane
        /// @param brings whether the immediate follows the chunk
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

        /// Writes the next chunk without a copy.
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
            // Before the proxy returns to the pool, which might otherwise serve this write's pending request.
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

        /// Whether the next chunk may reuse `free` and this slot: no other request waits for a proxy.
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

        /// Closing the proxy serves the first waiter, possibly this write.
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

        /// Copies the chunk to the host.
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
