package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.config.PostingOptions;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import io.tensorferry.verbs.wire.WorkId;
import io.tensorferry.verbs.wire.WorkKind;
import java.util.ArrayDeque;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// One queue pair of a channel, with its posted requests and its credits. A data lane also holds the contents that wait
/// to be written and the reads that wait to be posted.
///
/// Posted requests reach the device with [#submit()]. Contents and reads share a lane by bytes: while both wait, the
/// kind that has posted fewer bytes is next. The bytes in flight on a lane are limited, so that later requests do not
/// wait long.
///
/// Owner: the loop.
public final class Lane {
    /// The cost of a small request in bytes: a device takes as long for it as for this many bytes.
    private static final long REQUEST_BYTES = 512;

    private final int index;
    private final QueuePair queuePair;
    private final int inlineBytes;
    private final int chunkBytes;
    private final long mostUnderWay;
    private final SendList sends;
    private final PostedWork posted;
    private final LaneContents contents;
    private final LaneReads reads;
    private final ImmediateCredits credits;
    private final long receiveWorkId;
    // Pending binds and invalidations of memory windows, in order.
    private final ArrayDeque<WindowWork> windowsWaiting = new ArrayDeque<>();
    // How many bytes the contents are ahead of the reads since both wait.
    private long contentsAhead;

    /// @param kind BIND or INVALIDATE
    private record WindowWork(WorkKind kind, WindowGrant grant) {}

    /// @param index 0 for the control queue pair, 1 and up for the data lanes
    /// @param chunkBytes the largest single write or read of a content: the smallest of both ends' limits and this
    /// end's option
    /// @param receives receives posted at each end
    /// @param batch immediates covered by one acknowledgement
    public Lane(
            int index,
            QueuePair queuePair,
            int sendDepth,
            int chunkBytes,
            int receives,
            int batch,
            PostingOptions options) {
        this.index = index;
        this.queuePair = queuePair;
        this.inlineBytes = queuePair.maxInlineBytes();
        this.chunkBytes = chunkBytes;
        this.mostUnderWay = options.bytesUnderWay();
        this.sends = new SendList(index, queuePair, sendDepth, options);
        this.posted = sends.posted();
        this.contents = new LaneContents(chunkBytes);
        this.reads = new LaneReads(sends, chunkBytes);
        this.credits = new ImmediateCredits(receives, batch);
        this.receiveWorkId = WorkId.of(WorkKind.RECEIVE, index, 0);
    }

    /// 0 for the control queue pair, 1 and up for the data lanes.
    public int index() {
        return index;
    }

    public ImmediateCredits credits() {
        return credits;
    }

    /// Requests that are posted and not known to have completed.
    public PostedWork posted() {
        return posted;
    }

    public boolean hasFreeSendSlot() {
        return sends.hasRoom();
    }

    /// Submits the posted requests to the device.
    public void submit() {
        sends.submit();
    }

    public void postReceive() {
        queuePair.postReceive(receiveWorkId);
    }

    /// Posts an empty write without immediate, which consumes no receive at the peer.
    public void postProbe() {
        sends.next().write(sends.workId(WorkKind.PROBE), 0, 0, 0, 0, 0);
        sends.add(WorkKind.PROBE, null, null);
    }

    /// @param contents the first of the contents in the slot, or null
    void postMessage(
            long localAddress,
            int length,
            int localKey,
            long remoteAddress,
            int remoteKey,
            @Nullable ContentWrite contents) {
        credits.sent(Immediate.CONTROL_MESSAGE);
        sends.next()
                        .writeWithImmediate(
                                sends.workId(WorkKind.CONTROL_MESSAGE),
                                localAddress,
                                length,
                                localKey,
                                remoteAddress,
                                remoteKey,
                                Immediate.CONTROL_MESSAGE)
                        .inline =
                length <= inlineBytes;
        sends.add(WorkKind.CONTROL_MESSAGE, contents, null);
    }

    /// Handles an acknowledgement of a batch of immediates; returns how many of them were control messages.
    ///
    /// @throws ProtocolViolationException if fewer are outstanding
    public int onAcknowledgement() {
        int messages = credits.onAcknowledgement();
        if (messages < 0) {
            throw new ProtocolViolationException("it acknowledged more messages than were sent");
        }
        return messages;
    }

    /// Posts the acknowledgements that are due, as far as the send queue has room; returns how many.
    public int acknowledge() {
        int count = 0;
        while (sends.hasRoom() && credits.mayAcknowledge()) {
            credits.acknowledged();
            credits.sent(Immediate.ACKNOWLEDGEMENT);
            sends.next()
                    .writeWithImmediate(
                            sends.workId(WorkKind.ACKNOWLEDGEMENT), 0, 0, 0, 0, 0, Immediate.ACKNOWLEDGEMENT);
            sends.add(WorkKind.ACKNOWLEDGEMENT, null, null);
            count++;
        }
        return count;
    }

    /// @param from offset of the first byte of the part that this lane writes
    /// @param end offset after the part's last byte
    public void enqueue(ContentWrite write, long from, long end) {
        contents.enqueue(write, from, end);
    }

    /// Posts chunks of the waiting contents and reads, as far as the send queue has room; returns how many immediates
    /// were posted with them. A content's last chunk carries its immediate.
    public int pump() {
        int immediates = 0;
        while (sends.hasRoom() && posted.bytesUnderWay() < mostUnderWay) {
            boolean content = contents.choose() && isAllowed();
            boolean read = reads.mayPost();
            if (!content || reads.isEmpty()) {
                contentsAhead = 0;
            } else if (posted.isFullBesideReads()) {
                content = false;
            }
            if (read && (!content || contentsAhead > 0)) {
                countAhead(-REQUEST_BYTES - reads.post());
            } else if (content) {
                long length = contents.length();
                immediates += postContent() ? 1 : 0;
                countAhead(REQUEST_BYTES + length);
            } else {
                break;
            }
        }
        return immediates;
    }

    /// Whether the chosen chunk carries no immediate, or the peer has a receive for it.
    private boolean isAllowed() {
        return !contents.isLast() || contents.write().silent || credits.maySend();
    }

    /// Bounds the lead, so that neither kind occupies the lane alone for long afterwards.
    private void countAhead(long bytes) {
        contentsAhead = Math.clamp(contentsAhead + bytes, -chunkBytes, chunkBytes);
    }

    /// Posts the chosen chunk; returns whether it carries an immediate.
    private boolean postContent() {
        ContentWrite write = contents.write();
        long offset = contents.offset();
        long length = contents.length();
        boolean last = contents.isLast();
        if (last && !write.silent) {
            credits.sent(write.immediate);
            sends.next()
                            .writeWithImmediate(
                                    sends.workId(WorkKind.CONTENT),
                                    write.localAddress + offset,
                                    length,
                                    write.localKey,
                                    write.remoteAddress + offset,
                                    write.remoteKey,
                                    write.immediate)
                            .inline =
                    length <= inlineBytes && !write.outOfReach;
            contents.take();
            sends.add(WorkKind.CONTENT, write, null);
            return true;
        }
        WorkKind kind = last ? WorkKind.CONTENT : WorkKind.CHUNK;
        sends.next()
                .write(
                        sends.workId(kind),
                        write.localAddress + offset,
                        length,
                        write.localKey,
                        write.remoteAddress + offset,
                        write.remoteKey);
        contents.take();
        sends.add(kind, last ? write : null, null);
        return false;
    }

    public void enqueue(ReadBatch batch) {
        batch.begin();
        reads.enqueue(batch);
    }

    /// @param from offset of the first byte of the part that this lane reads
    /// @param end offset after the part's last byte
    public void enqueue(ContentRead read, long from, long end) {
        enqueue(read.part(from, end, chunkBytes));
    }

    void enqueueBind(WindowGrant grant) {
        windowsWaiting.add(new WindowWork(WorkKind.BIND, grant));
    }

    void enqueueInvalidation(WindowGrant grant) {
        windowsWaiting.add(new WindowWork(WorkKind.INVALIDATE, grant));
    }

    /// Posts pending binds and invalidations, as far as the send queue has room.
    ///
    /// @param keys notified of a bind that the device refuses
    /// @throws VerbsException if the device refuses another request, or is gone
    void pumpWindows(WindowKeys keys) {
        while (sends.hasRoom()) {
            WindowWork work = windowsWaiting.poll();
            if (work == null) {
                return;
            }
            WindowGrant grant = work.grant();
            if (work.kind() == WorkKind.BIND) {
                VerbsException refusal = postBind(grant);
                if (refusal != null) {
                    keys.onBindRefused(grant, refusal);
                }
            } else if (grant.state() == WindowGrant.State.REVOKING) {
                sends.next().invalidate(sends.workId(WorkKind.INVALIDATE), grant.window());
                sends.add(WorkKind.INVALIDATE, null, grant);
            }
        }
    }

    /// @return the refusal, if it concerns this bind alone and not the channel; null if the bind is posted
    private @Nullable VerbsException postBind(WindowGrant grant) {
        NamedMemory memory = grant.memory();
        sends.next()
                        .bind(
                                sends.workId(WorkKind.BIND),
                                grant.window(),
                                memory.region(),
                                memory.address(),
                                memory.length())
                        .windowAccess =
                memory.access();
        VerbsException refusal = sends.postBind(grant);
        if (refusal != null && (refusal.errno() == VerbsException.EIO || refusal.errno() == VerbsException.ENODEV)) {
            throw refusal;
        }
        return refusal;
    }

    /// Adds the request indexes of contents whose last chunk was posted on this lane, but which the peer has not
    /// acknowledged.
    public void addUnconfirmed(Collection<Integer> indexes) {
        credits.addRequestIndexes(indexes);
    }

    /// Moves, after the end of the queue pair, every content whose part is not known to be written, and all reads that
    /// are not known to have completed.
    public void takeUnfinished(Collection<ContentWrite> taken, Collection<ReadBatch> takenReads) {
        while (!posted.isEmpty()) {
            ReadBatch batch = posted.oldestReads();
            if (batch != null) {
                takenReads.add(batch);
            }
            ContentWrite write = posted.oldestContents();
            while (write != null) {
                taken.add(write);
                write = write.unchain();
            }
            posted.removeOldest();
        }
        contents.drainTo(taken);
        reads.drainTo(takenReads);
    }
}
