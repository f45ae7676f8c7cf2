package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.wire.WorkKind;
import java.util.ArrayDeque;
import java.util.Collection;

/// The waiting reads of one lane, and the scheduling policy among them.
///
/// A batch that has posted no more than one chunk's bytes precedes longer ones, but for no more than one chunk's bytes
/// at a time. Longer batches take turns of the bytes of [#CHUNKS_IN_TURN] chunks. So a short batch does not wait for
/// all of a long one. The reads of one batch keep their order.
///
/// Reads leave a quarter of the send queue to contents, acknowledgements and windows. Requests posted after reads still
/// complete after them, because a queue pair keeps the order of its work.
///
/// Owner: the loop.
final class LaneReads {
    /// Equal to the turn of a content.
    private static final int CHUNKS_IN_TURN = 16;

    private final SendList sends;
    private final PostedWork posted;
    private final long chunkBytes;
    private final ArrayDeque<ReadBatch> fresh = new ArrayDeque<>();
    private final ArrayDeque<ReadBatch> longer = new ArrayDeque<>();
    private final ReadRequest request = new ReadRequest();
    // Bytes that the first fresh batch has posted.
    private long freshPosted;
    // Bytes that the first longer batch has posted in its turn.
    private long longerPosted;
    // Bytes of fresh batches since the last read of a longer one, while a longer one waits.
    private long freshInARow;

    LaneReads(SendList sends, long chunkBytes) {
        this.sends = sends;
        this.posted = sends.posted();
        this.chunkBytes = chunkBytes;
    }

    void enqueue(ReadBatch batch) {
        fresh.add(batch);
    }

    boolean isEmpty() {
        return fresh.isEmpty() && longer.isEmpty();
    }

    /// Whether a read waits and the send queue has room for it.
    boolean mayPost() {
        return !posted.isFullForReads() && !isEmpty();
    }

    /// Posts the next read and returns its bytes. Requires [#mayPost()].
    long post() {
        boolean isFresh = !fresh.isEmpty() && (longer.isEmpty() || freshInARow < chunkBytes);
        ArrayDeque<ReadBatch> queue = isFresh ? fresh : longer;
        ReadBatch batch = queue.element();
        batch.describeNext(request);
        long length = request.length;
        sends.next()
                .read(
                        sends.workId(WorkKind.READ),
                        request.localAddress,
                        length,
                        request.localKey,
                        request.remoteAddress,
                        request.remoteKey);
        boolean last = batch.isPosted();
        if (isFresh) {
            freshInARow = longer.isEmpty() ? 0 : freshInARow + length;
            freshPosted += length;
            if (last || freshPosted >= chunkBytes) {
                fresh.remove();
                freshPosted = 0;
                if (!last) {
                    longer.add(batch);
                }
            }
        } else {
            freshInARow = 0;
            longerPosted += length;
            if (last || longerPosted >= CHUNKS_IN_TURN * chunkBytes) {
                longer.remove();
                longerPosted = 0;
                if (!last) {
                    longer.add(batch);
                }
            }
        }
        sends.addRead(last ? batch : null, batch.signalInterval());
        return length;
    }

    /// Moves all batches whose last read was not posted.
    void drainTo(Collection<ReadBatch> taken) {
        taken.addAll(longer);
        taken.addAll(fresh);
        longer.clear();
        fresh.clear();
    }
}
