package io.tensorferry.verbs.channel.lane;

import java.util.Collection;

/// The contents that wait for one lane, and which of them is served next.
///
/// A content is cut into chunks, so that one that comes later need not wait for all of a large one. Contents of one
/// chunk go before larger ones, but not for more than a chunk's bytes
/// at a time; of larger ones each in turn may post [#CHUNKS_IN_TURN].
///
/// ```
/// choose -> write, offset, length, isLast -> take
/// ```
///
/// Owner: the loop.
final class LaneContents {
    /// Enough that of several tensors of a usual size one is done before the next begins.
    private static final int CHUNKS_IN_TURN = 16;

    private final int chunkBytes;
    private final ContentQueue small = new ContentQueue();
    private final ContentQueue large = new ContentQueue();
    private ContentQueue chosen = small;
    // Of small ones since the last chunk of a large one, while a large one waits.
    private long smallBytes;
    // Chunks that the first of the large ones has posted in its turn.
    private int chunks;

    LaneContents(int chunkBytes) {
        this.chunkBytes = chunkBytes;
    }

    /// @param from the first byte of the part that this lane writes
    /// @param end the byte behind it
    void enqueue(ContentWrite write, long from, long end) {
        (end - from <= chunkBytes ? small : large).add(write, from, end);
    }

    /// Chooses the next chunk; returns whether there is one.
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

    /// Whether nothing of the content is left behind this chunk.
    boolean isLast() {
        return chosen.left() <= chunkBytes;
    }

    /// The chunk that was chosen is posted.
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

    /// Moves all that was not posted to its end.
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
