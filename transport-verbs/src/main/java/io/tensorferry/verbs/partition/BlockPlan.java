package io.tensorferry.verbs.partition;

import io.tensorferry.api.partition.RowPartition;
import io.tensorferry.api.partition.RowRange;
import java.util.Arrays;

/// Plans the rows of one block of a gather as RDMA READs. Rows are grouped by owner, optionally sorted by address, and
/// neighbours may be merged into one read.
///
/// A *key* combines a row and its position within the block in one number, so that sorting needs no objects. Reads are
/// numbered from 0, grouped by owner in partition order; each covers the keys from its first key to the first key of
/// the next read. A read transfers the rows from its first key to its last, either directly to their places in the
/// result, or into a staging buffer from which they are copied. If a row has several keys, the first is read and the
/// others are copied from it.
///
/// Pure; the arrays are reused for later blocks. Owner: the holder of the block, one thread at a time.
final class BlockPlan {
    private static final int POSITION_BITS = 16;
    /// The most rows of a block.
    static final int MOST_ROWS = 1 << POSITION_BITS;

    private static final int POSITION_MASK = MOST_ROWS - 1;
    // Marks the first key of a read whose rows are copied.
    private static final int COPIED = 1 << 31;

    private long[] keys = new long[0];
    private int[] reads = new int[1];
    // The first read of each owner, followed by the number of reads.
    private int[] firstReads = new int[1];
    private long[] scratch = new long[0];
    private int rows;
    private int remote;
    private int readCount;

    /// Plans `ids[from]` to `ids[from + count - 1]`.
    ///
    /// @param count 1 to [#MOST_ROWS]
    /// @param own the rows of this worker
    /// @param replica the rows that this worker has a copy of
    /// @throws IndexOutOfBoundsException if an id is not a row
    void plan(
            long[] ids, int from, int count, RowPartition partition, RowRange own, RowRange replica, ReadRules rules) {
        begin(count, partition.workers().size());
        long total = partition.rows();
        int behind = count;
        for (int i = 0; i < count; i++) {
            long row = ids[from + i];
            if (row < 0 || row >= total) {
                throw new IndexOutOfBoundsException(
                        "id " + row + " at position " + (from + i) + " is not one of " + total + " rows");
            }
            long key = row << POSITION_BITS | i;
            if (own.contains(row) || replica.contains(row)) {
                keys[--behind] = key;
            } else {
                keys[remote++] = key;
            }
        }
        if (rules.sorted()) {
            Arrays.sort(keys, 0, remote);
        } else {
            groupByOwner(partition);
        }
        makeReads(partition, rules);
    }

    private void begin(int count, int owners) {
        if (keys.length < count) {
            // Blocks that are not full have the size of the application's gathers: the arrays grow to that size once.
            int size = Math.min(MOST_ROWS, Math.max(256, Integer.highestOneBit(count - 1) << 1));
            keys = new long[size];
            reads = new int[size + 1];
        }
        if (firstReads.length < owners + 1) {
            firstReads = new int[owners + 1];
        }
        rows = count;
        remote = 0;
        readCount = 0;
    }

    /// Groups the keys by owner and keeps their order within each owner.
    private void groupByOwner(RowPartition partition) {
        int owners = partition.workers().size();
        if (scratch.length < remote) {
            scratch = new long[keys.length];
        }
        int[] next = new int[owners + 1];
        for (int i = 0; i < remote; i++) {
            next[partition.ownerOf(row(i)) + 1]++;
        }
        for (int i = 0; i < owners; i++) {
            next[i + 1] += next[i];
        }
        for (int i = 0; i < remote; i++) {
            scratch[next[partition.ownerOf(row(i))]++] = keys[i];
        }
        System.arraycopy(scratch, 0, keys, 0, remote);
    }

    private void makeReads(RowPartition partition, ReadRules rules) {
        int owner = -1;
        long ownersEnd = 0;
        int key = 0;
        while (key < remote) {
            long row = row(key);
            // An owner without rows in this block starts at the first read of the next owner.
            while (row >= ownersEnd) {
                owner++;
                firstReads[owner] = readCount;
                ownersEnd = partition.range(owner).end();
            }
            key = makeRead(key, ownersEnd, rules);
        }
        Arrays.fill(firstReads, owner + 1, partition.workers().size() + 1, readCount);
        reads[readCount] = remote;
    }

    /// Plans the read that begins with key `first`; returns the first key of the next read.
    private int makeRead(int first, long ownersEnd, ReadRules rules) {
        long firstRow = row(first);
        long lastRow = firstRow;
        int firstPosition = position(first);
        boolean copied = !rules.direct();
        boolean straight = false;
        int key = first + 1;
        while (rules.merged() && key < remote) {
            long row = row(key);
            if (row != lastRow) {
                if (row != lastRow + 1 || row >= ownersEnd) {
                    break;
                }
                long count = row - firstRow + 1;
                boolean follows = position(key) - firstPosition == count - 1;
                if (!copied && follows && count <= rules.mostRows(false)) {
                    straight = true;
                } else if (!straight && rules.copies() && count <= rules.mostRows(true)) {
                    copied = true;
                } else {
                    break;
                }
                lastRow = row;
            }
            key++;
        }
        reads[readCount++] = copied ? first | COPIED : first;
        return key;
    }

    private long row(int key) {
        return keys[key] >>> POSITION_BITS;
    }

    /// The number of rows of the block.
    int rows() {
        return rows;
    }

    /// The number of rows that this worker has itself.
    int localRows() {
        return rows - remote;
    }

    int readCount() {
        return readCount;
    }

    /// The first read of an owner's rows, by its index in the partition; for the number of owners, the number of reads.
    int firstReadOf(int owner) {
        return firstReads[owner];
    }

    /// Whether the rows of a read are copied into the result.
    boolean isCopied(int read) {
        return reads[read] < 0;
    }

    /// The first key of a read. For the number of reads, the end of all reads' keys, which is the first key of this
    /// worker's own rows.
    int firstKey(int read) {
        return reads[read] & ~COPIED;
    }

    /// The row of a key.
    long rowOf(int key) {
        return row(key);
    }

    /// The destination of a key's row: its position in the block.
    int position(int key) {
        return (int) keys[key] & POSITION_MASK;
    }

    /// The number of rows that a read transfers.
    long rowsOf(int read) {
        return row(firstKey(read + 1) - 1) - row(firstKey(read)) + 1;
    }

    /// For a read whose rows are not copied: whether the row of a key is a repetition, copied from the place of the row
    /// that was read.
    boolean isAgain(int read, int key) {
        int first = firstKey(read);
        return position(key) - position(first) != row(key) - row(first);
    }
}
