package io.tensorferry.verbs.channel.lane;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Contents that one lane has still to write, or its part of them, each with how far it has come. A circle that grows
/// and is used again.
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

    /// @param offset of the first byte of the part that this lane writes
    /// @param end of the byte behind it
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

    /// Of the next byte to write of the first.
    long offset() {
        return offsets[head];
    }

    /// Bytes of the first that are left.
    long left() {
        return ends[head] - offsets[head];
    }

    /// So much more of the first is posted.
    void advance(long bytes) {
        offsets[head] += bytes;
    }

    void removeFirst() {
        writes[head] = null;
        head = head + 1 & writes.length - 1;
        size--;
    }

    /// The others come before the first.
    void moveFirstBack() {
        ContentWrite write = first();
        long offset = offsets[head];
        long end = ends[head];
        removeFirst();
        add(write, offset, end);
    }
}
