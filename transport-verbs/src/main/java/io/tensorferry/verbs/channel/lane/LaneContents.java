package io.tensorferry.verbs.channel.lane;

import java.util.Collection;

/// The waiting contents of one lane, and the scheduling policy among them.
///
/// A content is cut into chunks, so that later contents need not wait for all of a large one. Contents of one chunk
/// precede larger ones, but for no more than one chunk's bytes at a time. Larger contents take turns of
/// [#CHUNKS_IN_TURN] chunks.
///
/// ```
/// choose -> write, offset, length, isLast -> take
/// ```
///
/// Owner: the loop.
final class LaneContents {
    /// Large enough that among several tensors of a usual size, one completes before the next begins.
    private static final int CHUNKS_IN_TURN = 16;

    private final int chunkBytes;
    private final ContentQueue small = new ContentQueue();
    private final ContentQueue large = new ContentQueue();
    private ContentQueue chosen = small;
    // Bytes of small contents since the last chunk of a large one, while a large one waits.
    private long smallBytes;
    // Number of chunks that the first large content has posted in its turn.
    private int chunks;

    LaneContents(int chunkBytes) {
        this.chunkBytes = chunkBytes;
    }

    /// @param from offset of the first byte of the part that this lane writes
    /// @param end offset after the part's last byte
    void enqueue(ContentWrite write, long from, long end) {
        (end - from <= chunkBytes ? small : large).add(write, from, end);
    }

    /// Chooses the next chunk; returns false if no content waits.
    boolean choose() {
        if (small.isEmpty() || (smallBytes >= chunkBytes && !large.isEmpty())) {
            chosen = large;
        } else {
            chosen = small;
        }
        return !chosen.isEmpty();
    }

    ContentWrite write() {
        return chosen.first();
    }

    long offset() {
        return chosen.offset();
    }

    long length() {
        return Math.min(chosen.left(), chunkBytes);
    }

    /// Whether the chosen chunk is the last of its content.
    boolean isLast() {
        return chosen.left() <= chunkBytes;
    }

    /// Records that the chosen chunk is posted.
    void take() {
        if (chosen == small) {
            smallBytes = large.isEmpty() ? 0 : smallBytes + length();
            small.removeFirst();
            return;
        }
        smallBytes = 0;
        chunks++;
        if (isLast()) {
            large.removeFirst();
            chunks = 0;
        } else {
            large.advance(chunkBytes);
            if (chunks >= CHUNKS_IN_TURN) {
                large.moveFirstBack();
                chunks = 0;
            }
        }
    }

    /// Moves all contents that were not posted completely.
    void drainTo(Collection<ContentWrite> taken) {
        drain(small, taken);
        drain(large, taken);
    }

    private static void drain(ContentQueue queue, Collection<ContentWrite> taken) {
        while (!queue.isEmpty()) {
            taken.add(queue.first());
            queue.removeFirst();
        }
    }
}
