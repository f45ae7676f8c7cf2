package io.tensorferry.verbs.partition;

import io.tensorferry.verbs.channel.lane.ReadBatch;
import io.tensorferry.verbs.channel.lane.ReadRequest;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A batch of reads of one block from one peer that go over one lane in sequence; reusable.
///
/// Owner: the loop; a worker runs [#copyRows].
final class RowReads extends ReadBatch {
    private static final long MOST_BYTES = 4 << 20;

    private final RowSource source;
    private @Nullable GatherBlock block;
    private int first;
    private int end;
    private @Nullable RegisteredBuffer staging;
    private boolean copies;
    private long bytes;
    private long mostPiece;
    // The position of the next piece: its read, its first byte, and the staging offset of rows that are copied.
    private int nextRead;
    private long nextByte;
    private long nextStaged;

    RowReads(RowSource source) {
        super(1);
        this.source = source;
    }

    /// Takes reads of a block from `from` on, up to the limits of one batch.
    ///
    /// @param behind the end of this peer's reads
    /// @param most the most reads, 1 or more
    /// @param longestPiece the most bytes that the channel reads at once
    /// @return whether it has any reads; if not, the first read needs a staging buffer
    boolean begin(GatherBlock of, int from, int behind, int most, long longestPiece, Staging stagingPool) {
        BlockPlan plan = of.plan;
        long rowBytes = of.gather().rules().rowBytes();
        long staged = 0;
        int pieces = 0;
        block = of;
        first = from;
        end = from;
        bytes = 0;
        copies = false;
        while (end < behind && end - first < most && bytes < MOST_BYTES) {
            long length = plan.rowsOf(end) * rowBytes;
            if (plan.isCopied(end)) {
                if (staged + length > Staging.BYTES) {
                    break;
                }
                if (staging == null) {
                    staging = stagingPool.take(source);
                    if (staging == null) {
                        break;
                    }
                }
                staged += length;
                copies = true;
            }
            copies |= plan.firstKey(end + 1) - plan.firstKey(end) > plan.rowsOf(end);
            bytes += length;
            pieces += Math.toIntExact(Math.ceilDiv(length, longestPiece));
            end++;
        }
        if (end == first) {
            return false;
        }
        setCount(pieces);
        mostPiece = longestPiece;
        nextRead = first;
        nextByte = 0;
        nextStaged = 0;
        return true;
    }

    GatherBlock block() {
        return Objects.requireNonNull(block);
    }

    int first() {
        return first;
    }

    int end() {
        return end;
    }

    long bytes() {
        return bytes;
    }

    /// Whether rows must be copied after all have arrived.
    boolean copies() {
        return copies;
    }

    /// Hands over the staging buffer.
    @Nullable
    RegisteredBuffer takeStaging() {
        RegisteredBuffer taken = staging;
        staging = null;
        return taken;
    }

    @Override
    protected void describe(int index, ReadRequest into) {
        RunningGather gather = block().gather();
        BlockPlan plan = block().plan;
        long rowBytes = gather.rules().rowBytes();
        int key = plan.firstKey(nextRead);
        boolean copied = plan.isCopied(nextRead);
        long total = plan.rowsOf(nextRead) * rowBytes;
        long length = Math.min(total - nextByte, mostPiece);
        long remote = source.addressOf(plan.rowOf(key)) + nextByte;
        if (copied) {
            RegisteredBuffer buffer = Objects.requireNonNull(staging);
            into.set(buffer.address() + nextStaged, length, buffer.localKey(), remote, source.remoteKey());
            nextStaged += length;
        } else {
            long place = (block().from() + (long) plan.position(key)) * rowBytes + nextByte;
            into.set(gather.outAddress() + place, length, gather.outKey(), remote, source.remoteKey());
        }
        nextByte += length;
        if (nextByte == total) {
            nextRead++;
            nextByte = 0;
        }
    }

    /// Copies rows from the staging buffer, and repeated rows, to their places.
    void copyRows() {
        RunningGather gather = block().gather();
        BlockPlan plan = block().plan;
        long rowBytes = gather.rules().rowBytes();
        MemorySegment out = gather.out();
        long from = (long) block().from() * rowBytes;
        long staged = 0;
        for (int read = first; read < end; read++) {
            int firstKey = plan.firstKey(read);
            int lastKey = plan.firstKey(read + 1);
            long firstRow = plan.rowOf(firstKey);
            if (plan.isCopied(read)) {
                MemorySegment arrived = Objects.requireNonNull(staging).segment();
                for (int key = firstKey; key < lastKey; key++) {
                    long at = staged + (plan.rowOf(key) - firstRow) * rowBytes;
                    MemorySegment.copy(arrived, at, out, from + plan.position(key) * rowBytes, rowBytes);
                }
                staged += plan.rowsOf(read) * rowBytes;
            } else if (lastKey - firstKey > plan.rowsOf(read)) {
                long place = from + plan.position(firstKey) * rowBytes;
                for (int key = firstKey; key < lastKey; key++) {
                    if (plan.isAgain(read, key)) {
                        long at = place + (plan.rowOf(key) - firstRow) * rowBytes;
                        MemorySegment.copy(out, at, out, from + plan.position(key) * rowBytes, rowBytes);
                    }
                }
            }
        }
    }

    @Override
    protected int signalInterval() {
        return block().gather().options().signalInterval();
    }

    @Override
    public void onRead() {
        source.onRead(this);
    }

    @Override
    public void onAbandoned() {
        source.onAbandoned(this);
    }
}
