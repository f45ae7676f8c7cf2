package io.tensorferry.verbs.channel.lane;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The contents, or parts of contents, that one lane has yet to write, each with its progress. A growing circular
/// buffer.
///
/// Owner: the loop.
final class ContentQueue {
    private @Nullable ContentWrite[] writes = new ContentWrite[16];
    private long[] offsets = new long[16];
    private long[] ends = new long[16];
    private int head;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /// @param offset offset of the first byte of the part that this lane writes
    /// @param end offset after the part's last byte
    void add(ContentWrite write, long offset, long end) {
        if (size == writes.length) {
            grow();
        }
        int slot = head + size & writes.length - 1;
        writes[slot] = write;
        offsets[slot] = offset;
        ends[slot] = end;
        size++;
    }

    private void grow() {
        int length = writes.length;
        var largerWrites = new @Nullable ContentWrite[length * 2];
        var largerOffsets = new long[length * 2];
        var largerEnds = new long[length * 2];
        for (int i = 0; i < size; i++) {
            int slot = head + i & length - 1;
            largerWrites[i] = writes[slot];
            largerOffsets[i] = offsets[slot];
            largerEnds[i] = ends[slot];
        }
        writes = largerWrites;
        offsets = largerOffsets;
        ends = largerEnds;
        head = 0;
    }

    ContentWrite first() {
        return Objects.requireNonNull(writes[head], "no content waits");
    }

    /// Offset of the next byte to write of the first content.
    long offset() {
        return offsets[head];
    }

    /// Remaining bytes of the first content.
    long left() {
        return ends[head] - offsets[head];
    }

    /// Records that `bytes` more of the first content are posted.
    void advance(long bytes) {
        offsets[head] += bytes;
    }

    void removeFirst() {
        writes[head] = null;
        head = head + 1 & writes.length - 1;
        size--;
    }

    /// Moves the first content behind the others.
    void moveFirstBack() {
        ContentWrite write = first();
        long offset = offsets[head];
        long end = ends[head];
        removeFirst();
        add(write, offset, end);
    }
}
