package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.wire.WorkId;
import io.tensorferry.verbs.wire.WorkKind;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The send requests of one queue pair that are posted and not known to be done, oldest first, in a circle that is made
/// once.
///
/// Each has a sequence number. Work of one queue pair is done in its order, so the success of one tells that all before
/// it have succeeded, those that asked for no completion too.
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
    // The sequence number of the oldest.
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

    /// Whether the reads have all but the quarter of the queue that is left to others.
    boolean isFullForReads() {
        return readRequests >= depth - depth / 4;
    }

    /// Whether the others have all but the quarter of the queue that is left to reads while some wait.
    boolean isFullBesideReads() {
        return size - readRequests >= depth - depth / 4;
    }

    /// What [#add] will number next.
    long nextSequence() {
        return first + size;
    }

    /// @param length payload bytes, 0 to 2^32 - 1
    /// @param content whose last piece it is, or the first of those that its messages carry, or null
    /// @param grant for whose window it is, or null
    /// @param batch whose last read it is, or null
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

    /// Whether the request with this work id is under way, and so all that were posted behind it.
    public boolean contains(long workId) {
        return WorkId.distance(first, workId) < size;
    }

    public WorkKind oldestKind() {
        return kinds[(int) first & mask];
    }

    /// The content whose last piece the oldest is, or the first of those inside its messages; null if there is none.
    @Nullable
    public ContentWrite oldestContents() {
        return contents[(int) first & mask];
    }

    /// The grant for whose window the oldest is.
    public WindowGrant oldestGrant() {
        return Objects.requireNonNull(grants[(int) first & mask], "it is for no window");
    }

    /// The grant for whose window a request is that is under way; null if it is for none.
    @Nullable
    public WindowGrant grantOf(long workId) {
        return grants[(int) (first + WorkId.distance(first, workId)) & mask];
    }

    /// The reads whose last the oldest is; null if there are none.
    @Nullable
    public ReadBatch oldestReads() {
        return reads[(int) first & mask];
    }

    /// The oldest is done, or given up.
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

    /// Payload bytes that are posted and not known to have left.
    long bytesUnderWay() {
        return bytesUnderWay;
    }
}
