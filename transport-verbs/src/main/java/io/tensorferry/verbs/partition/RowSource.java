package io.tensorferry.verbs.partition;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.api.partition.RowRange;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.link.ChannelWaiter;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Message;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The rows of one tensor on one peer, as this worker reads them: requests the right to read on each channel, and posts
/// the reads of gathers within a bound.
///
/// ```
/// IDLE    -- requested -->                      ASKING for a channel, then for the right
/// ASKING  -- granted -->                        GRANTED: reads
/// ASKING, GRANTED -- channel lost -->           IDLE; ASKING if reads are queued or the tensor is not ready
/// ASKING  -- no channel -->                     IDLE; queued reads fail
/// any     -- ended or refused by the owner -->  ENDED; queued and later reads fail
/// any     -- the tensor is closed -->           CLOSED
/// ```
///
/// Owner: the loop.
final class RowSource {
    // Limits of one batch, which goes over one lane.
    private static final int MOST_READS = 512;
    private static final int FEWEST_READS = 16;
    // While one batch is read the next is posted.
    private static final int BATCHES_PER_LANE = 2;
    // Channel losses without a completed batch between them, after which the reads count as the cause of the losses.
    private static final int MOST_LOSSES = 5;

    private enum State {
        IDLE,
        ASKING,
        GRANTED,
        ENDED,
        CLOSED
    }

    /// Reads of a block that wait.
    private record Wanted(GatherBlock block, int first, int end) {}

    private final OpenTensor tensor;
    private final PartitionContext context;
    private final PeerParts peer;
    private final int owner;
    private final RowRange range;
    private final long rowBytes;
    private final ArrayDeque<Wanted> queue = new ArrayDeque<>();
    private final ArrayDeque<RowReads> idle = new ArrayDeque<>();
    private final Set<RowReads> underWay = new HashSet<>();
    private final ChannelWaiter channelWaiter = new Asker();
    private State state = State.IDLE;
    private @Nullable RdmaChannel channel;
    private @Nullable ReadRight right;
    private long address;
    private int remoteKey;
    private long incarnation;
    private boolean wasGranted;
    private int losses;
    private int lane;
    private @Nullable TransportException end;

    /// @param owner the peer's index in the partition
    RowSource(OpenTensor tensor, PartitionContext context, PeerParts peer, int owner) {
        this.tensor = tensor;
        this.context = context;
        this.peer = peer;
        this.owner = owner;
        this.range = tensor.spec().partition().range(owner);
        this.rowBytes = tensor.spec().rowBytes();
    }

    int owner() {
        return owner;
    }

    boolean wasGranted() {
        return wasGranted;
    }

    /// The address of a row at the peer.
    long addressOf(long row) {
        return address + (row - range.first()) * rowBytes;
    }

    int remoteKey() {
        return remoteKey;
    }

    /// Queues reads of a block, or fails their gather at once.
    void enqueue(GatherBlock block, int first, int behind) {
        queue.add(new Wanted(block, first, behind));
        TransportException why = end;
        if (why != null) {
            failAll(why);
            return;
        }
        ask();
        pump();
    }

    /// Drops the queued reads of a gather. Reads in flight still complete.
    void drop(RunningGather gather) {
        // Removed first: the gather may end with the last drop.
        Wanted[] dropped = queue.stream()
                .filter(wanted -> wanted.block().gather() == gather)
                .toArray(Wanted[]::new);
        for (Iterator<Wanted> all = queue.iterator(); all.hasNext(); ) {
            if (all.next().block().gather() == gather) {
                all.remove();
            }
        }
        for (Wanted wanted : dropped) {
            gather.drop(wanted.block(), wanted.end() - wanted.first());
        }
    }

    void failAll(TransportException cause) {
        tensor.onNotReady(cause);
        Wanted wanted = queue.peek();
        while (wanted != null) {
            RunningGather gather = wanted.block().gather();
            gather.fail(cause);
            drop(gather);
            wanted = queue.peek();
        }
    }

    /// Requests the right to read, unless that is done.
    void ask() {
        if (state != State.IDLE) {
            return;
        }
        state = State.ASKING;
        context.channels().withChannel(peer.name(), channelWaiter);
    }

    private final class Asker implements ChannelWaiter {
        @Override
        public void onChannel(RdmaChannel open) {
            if (state == State.ASKING && channel == null) {
                ask(open);
            }
        }

        @Override
        public void onNoChannel(TransportException cause) {
            if (state == State.ASKING && channel == null) {
                state = State.IDLE;
                failAll(cause);
            }
        }
    }

    private void ask(RdmaChannel open) {
        if (wasGranted && open.peerIncarnation() != incarnation) {
            // The restarted worker may have other rows. Gathers that begin from now on read those.
            wasGranted = false;
            if (!queue.isEmpty()) {
                state = State.IDLE;
                failAll(failed(StatusCode.ABORTED, "the worker that has rows " + range + " was restarted"));
                return;
            }
        }
        if (open.description().readsAtOnce() == 0) {
            state = State.IDLE;
            failAll(failed(StatusCode.FAILED_PRECONDITION, "the channel has no reads: readsAtOnce is 0"));
            return;
        }
        ReadRight asked = peer.ask(open, this);
        if (asked == null) {
            state = State.IDLE;
            failAll(failed(StatusCode.RESOURCE_EXHAUSTED, "the limit of parts read from one worker is reached"));
            return;
        }
        channel = open;
        right = asked;
        incarnation = open.peerIncarnation();
        PartitionedTensorSpec spec = tensor.spec();
        open.send(new Message.PartOpen(asked.number(), spec.name(), tensor.metaData()));
    }

    private TransportException failed(StatusCode code, String why) {
        return new TransportException(code, "'" + tensor.spec().name() + "': " + why, peer.name(), 0, null);
    }

    void onGranted(Message.PartGrant grant) {
        if (grant.firstRow() != range.first() || grant.bytes() != range.count() * rowBytes) {
            end(failed(
                    StatusCode.INVALID_ARGUMENT,
                    "the workers disagree: the owner has " + grant.bytes() + " bytes from row " + grant.firstRow()
                            + " on, this worker knows rows " + range + " of " + rowBytes + " bytes"));
            return;
        }
        state = State.GRANTED;
        address = grant.address();
        remoteKey = grant.remoteKey();
        wasGranted = true;
        tensor.onGranted();
        pump();
    }

    void onEndedByOwner(Message.PartStatus status) {
        end(failed(status.code(), status.message()));
    }

    private void end(TransportException cause) {
        state = State.ENDED;
        end = cause;
        failAll(cause);
        giveUpIfQuiet();
    }

    /// Closes the source, because the tensor is closed.
    void close(TransportException cause) {
        state = State.CLOSED;
        end = cause;
        context.channels().withdraw(peer.name(), channelWaiter);
        failAll(cause);
        giveUpIfQuiet();
    }

    private void giveUpIfQuiet() {
        ReadRight held = right;
        if (held != null && underWay.isEmpty() && (state == State.ENDED || state == State.CLOSED)) {
            right = null;
            channel = null;
            peer.giveUp(held);
        }
    }

    /// Posts queued reads up to the limit of batches in flight.
    void pump() {
        RdmaChannel open = channel;
        if (open == null) {
            return;
        }
        Wanted wanted = queue.peek();
        while (wanted != null && state == State.GRANTED && open.isOpen()) {
            int asked = wanted.block().gather().options().queuePairs();
            int lanes = asked == 0 ? open.laneCount() : Math.min(asked, open.laneCount());
            if (underWay.size() >= BATCHES_PER_LANE * lanes) {
                return;
            }
            int left = wanted.end() - wanted.first();
            int most = Math.clamp(Math.ceilDiv(left, lanes), FEWEST_READS, MOST_READS);
            RowReads reads = idle.isEmpty() ? new RowReads(this) : idle.pop();
            long longest = open.description().maxWriteBytes();
            if (!reads.begin(wanted.block(), wanted.first(), wanted.end(), most, longest, tensor.staging())) {
                idle.push(reads);
                return;
            }
            queue.remove();
            if (reads.end() < wanted.end()) {
                queue.addFirst(new Wanted(wanted.block(), reads.end(), wanted.end()));
            }
            underWay.add(reads);
            lane = lane % lanes + 1;
            open.read(reads, lane);
            wanted = queue.peek();
        }
    }

    void onRead(RowReads reads) {
        underWay.remove(reads);
        losses = 0;
        context.counters().reads.add(reads.end() - reads.first());
        context.counters().bytesRead.add(reads.bytes());
        if (reads.copies() && !reads.block().gather().hasFailed()) {
            context.work(() -> copy(reads));
        } else {
            finish(reads);
        }
        giveUpIfQuiet();
        pump();
    }

    /// On a worker.
    private void copy(RowReads reads) {
        TransportException failure = null;
        try {
            reads.copyRows();
        } catch (TransportException e) {
            failure = e;
        } catch (RuntimeException | Error e) {
            failure = new TransportException(StatusCode.INTERNAL, "rows could not be copied to their places: " + e, e);
        }
        TransportException why = failure;
        context.loop().execute(() -> {
            if (why != null) {
                reads.block().gather().fail(why);
            }
            finish(reads);
        });
    }

    private void finish(RowReads reads) {
        GatherBlock block = reads.block();
        BlockPlan plan = block.plan;
        int count = reads.end() - reads.first();
        int rows = plan.firstKey(reads.end()) - plan.firstKey(reads.first());
        RegisteredBuffer staging = reads.takeStaging();
        idle.push(reads);
        block.gather().onRead(block, count, rows);
        if (staging != null) {
            tensor.staging().giveBack(staging);
        }
    }

    /// The reads are repeated over the next channel, unless the gather has failed.
    void onAbandoned(RowReads reads) {
        boolean stranded = !underWay.remove(reads);
        GatherBlock block = reads.block();
        int count = reads.end() - reads.first();
        RegisteredBuffer staging = reads.takeStaging();
        if (staging != null && !stranded) {
            tensor.staging().giveBack(staging);
        }
        idle.push(reads);
        if (block.gather().hasFailed()) {
            block.gather().drop(block, count);
        } else {
            context.counters().readsAgain.add(count);
            queue.addFirst(new Wanted(block, reads.first(), reads.end()));
        }
    }

    /// The device may still write the memory of its reads.
    void onMemoryStranded() {
        underWay.forEach(reads -> reads.block().gather().onMemoryStranded());
        // A batch that is not in `underWay` when it is abandoned keeps its staging buffer.
        underWay.clear();
    }

    void onChannelLost(ReadRight lost, ChannelLoss loss) {
        if (right != lost) {
            // It was given up.
            return;
        }
        channel = null;
        right = null;
        losses++;
        TransportException why = end;
        if (why != null && (state == State.CLOSED || loss.resumable())) {
            // Reads that were in flight did not complete.
            failAll(why);
            return;
        }
        // A new process of the peer may have opened the tensor again.
        end = null;
        state = State.IDLE;
        boolean wanted = !queue.isEmpty() || !tensor.isReady();
        if (!loss.resumable() || losses > MOST_LOSSES) {
            losses = 0;
            // Gathers that begin from now on read the rows of the peer's current process.
            wasGranted = false;
            failAll(loss.cause());
        } else if (wanted) {
            ask();
        }
    }
}
