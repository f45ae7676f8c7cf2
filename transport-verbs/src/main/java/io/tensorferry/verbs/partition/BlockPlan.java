package io.tensorferry.verbs.partition;

import io.tensorferry.api.RowPartition;
import io.tensorferry.api.RowRange;
import java.util.Arrays;

/// The rows of one block of a gather, as reads: those of each owner together, by ascending address if that is wanted,
/// neighbours merged.
///
/// A *key* is a row and its position within the block, in one number, so that sorting needs no objects. Reads are
/// numbered from 0, those of one owner behind those of the owner before; each is for the keys from its first to that of
/// the next. It brings the rows from that of its first key to that of its last, either straight to their places in the
/// result, or into memory from which they are copied. The same row may have several keys: the first is read, the others
/// are copied from there.
///
/// Pure; the arrays serve one block after the other. Owner: whoever has the block, one thread at a time.
final class BlockPlan {
    private static final int POSITION_BITS = 16;
    /// The most rows of a block.
    static final int MOST_ROWS = 1 << POSITION_BITS;

    private static final int POSITION_MASK = MOST_ROWS - 1;
    // Marks the first key of a read whose rows are copied.
    private static final int COPIED = 1 << 31;

    private long[] keys = new long[0];
    private int[] reads = new int[1];
    // The first read of each owner, and behind the last owner the number of reads.
    private int[] firstReads = new int[1];
    private long[] scratch = new long[0];
    private int rows;
    private int remote;
    private int readCount;

    /// Plans `ids[from]` to `ids[from + count - 1]`.
    ///
    /// @param count 1 to [#MOST_ROWS]
    /// @param own rows that are on this worker
    /// @param replica rows that this worker has a copy of
    /// @throws IndexOutOfBoundsException if an id is no row
    void plan(
            long[] ids, int from, int count, RowPartition partition, RowRange own, RowRange replica, ReadRules rules) {
        begin(count, partition.workers().size());
        long total = partition.rows();
        int behind = count;
        for (int i = 0; i < count; i++) {
            long row = ids[from + i];
            if (row < 0 || row >= total) {
                throw new IndexOutOfBoundsException(
                        "id " + row + " at position " + (from + i) + " is none of " + total + " rows");
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
            // Blocks that are not full are as large as the gathers of the application: they grow to that once.
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

    /// Keeps the order within each owner.
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
            // Owners without rows of this block begin where the next one does.
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

    /// One read that begins with a key; returns the key behind its last.
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

    /// Rows of the block.
    int rows() {
        return rows;
    }

    /// Rows that this worker has itself.
    int localRows() {
        return rows - remote;
    }

    int readCount() {
        return readCount;
    }

    /// The first read of an owner's rows, by its place in the partition; for one more than the last, the number of
    /// reads.
    int firstReadOf(int owner) {
        return firstReads[owner];
    }

    /// Whether the rows of a read are copied into the result.
    boolean isCopied(int read) {
        return reads[read] < 0;
    }

    /// The first key of a read; for the number of reads, the key behind all of them, which is the first of the rows
    /// that this worker has itself.
    int firstKey(int read) {
        return reads[read] & ~COPIED;
    }

    /// The row of a key.
    long rowOf(int key) {
        return row(key);
    }

    /// Where the row of a key goes: its position in the block.
    int position(int key) {
        return (int) keys[key] & POSITION_MASK;
    }

    /// How many rows a read brings.
    long rowsOf(int read) {
        return row(firstKey(read + 1) - 1) - row(firstKey(read)) + 1;
    }

    /// Whether a key of a read whose rows are not copied has its row not from the read itself, but again.
    boolean isAgain(int read, int key) {
        int first = firstKey(read);
        return position(key) - position(first) != row(key) - row(first);
    }
}
