package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.wire.WorkId;
import io.tensorferry.verbs.wire.WorkKind;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The send requests of one queue pair that are posted and not known to have completed, oldest first, in a circular
/// buffer of fixed size.
///
/// Each request has a sequence number. A queue pair completes its work in order, so the success of one request implies
/// the success of all earlier ones, unsignaled ones included.
///
/// Owner: the loop.
public final class PostedWork {
    private final int depth;
    private final int mask;
    private final WorkKind[] kinds;
    private final int[] bytes;
    private final @Nullable ContentWrite[] contents;
    private final @Nullable WindowGrant[] grants;
    private final @Nullable ReadBatch[] reads;
    // Sequence number of the oldest request.
    private long first;
    private int size;
    private int readRequests;
    private long bytesUnderWay;

    /// @param depth requests that the send queue holds
    PostedWork(int depth) {
        this.depth = depth;
        int length = Integer.highestOneBit(Math.max(1, depth * 2 - 1));
        this.mask = length - 1;
        this.kinds = new WorkKind[length];
        Arrays.fill(kinds, WorkKind.PROBE);
        this.bytes = new int[length];
        this.contents = new ContentWrite[length];
        this.grants = new WindowGrant[length];
        this.reads = new ReadBatch[length];
    }

    boolean isFull() {
        return size == depth;
    }

    /// Whether reads occupy their share: all but a quarter of the queue.
    boolean isFullForReads() {
        return readRequests >= depth - depth / 4;
    }

    /// Whether the other requests occupy their share while reads wait: all but a quarter of the queue.
    boolean isFullBesideReads() {
        return size - readRequests >= depth - depth / 4;
    }

    /// The sequence number of the next [#add].
    long nextSequence() {
        return first + size;
    }

    /// @param length payload bytes, 0 to 2^32 - 1
    /// @param content the content whose last piece this is, or the first content that the messages carry, or null
    /// @param grant the grant whose window this concerns, or null
    /// @param batch the batch whose last read this is, or null
    void add(
            WorkKind kind,
            long length,
            @Nullable ContentWrite content,
            @Nullable WindowGrant grant,
            @Nullable ReadBatch batch) {
        int slot = (int) (first + size) & mask;
        kinds[slot] = kind;
        bytes[slot] = (int) length;
        contents[slot] = content;
        grants[slot] = grant;
        reads[slot] = batch;
        size++;
        readRequests += kind == WorkKind.READ ? 1 : 0;
        bytesUnderWay += length;
    }

    /// Whether the request with this work id is in progress, and therefore all later ones.
    public boolean contains(long workId) {
        return WorkId.distance(first, workId) < size;
    }

    public WorkKind oldestKind() {
        return kinds[(int) first & mask];
    }

    /// The content whose last piece the oldest request is, or the first content inside its messages, or null.
    @Nullable
    public ContentWrite oldestContents() {
        return contents[(int) first & mask];
    }

    /// The grant whose window the oldest request concerns.
    public WindowGrant oldestGrant() {
        return Objects.requireNonNull(grants[(int) first & mask], "the oldest request has no window");
    }

    /// The grant whose window a request in progress concerns, or null.
    @Nullable
    public WindowGrant grantOf(long workId) {
        return grants[(int) (first + WorkId.distance(first, workId)) & mask];
    }

    /// The batch whose last read the oldest request is, or null.
    @Nullable
    public ReadBatch oldestReads() {
        return reads[(int) first & mask];
    }

    /// Removes the oldest request, because it completed or was abandoned.
    public void removeOldest() {
        int slot = (int) first & mask;
        readRequests -= kinds[slot] == WorkKind.READ ? 1 : 0;
        bytesUnderWay -= bytes[slot] & 0xFFFF_FFFFL;
        contents[slot] = null;
        grants[slot] = null;
        reads[slot] = null;
        first++;
        size--;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /// Payload bytes that are posted and not known to have completed.
    long bytesUnderWay() {
        return bytesUnderWay;
    }
}
