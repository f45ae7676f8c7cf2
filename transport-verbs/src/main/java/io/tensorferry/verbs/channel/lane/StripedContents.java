package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.ArrayDeque;
import java.util.Arrays;

/// The contents that this end awaits over all lanes. A content has landed when the immediate of its request has arrived
/// over every lane.
///
/// A hash table without boxing, because large contents are added and removed throughout the life of the channel.
///
/// Owner: the loop.
final class StripedContents {
    /// Marks a free entry; never a request index.
    private static final int NONE = -1;

    private final long allLanes;
    private int[] indexes = new int[16];
    // For each entry, a bit for each lane whose immediate has arrived.
    private long[] lanes = new long[16];
    private int size;
    private final ArrayDeque<Awaited> free = new ArrayDeque<>();

    /// @param laneCount data lanes of the channel, 1 to 64
    StripedContents(int laneCount) {
        this.allLanes = -1L >>> (Long.SIZE - laneCount);
        Arrays.fill(indexes, NONE);
    }

    /// The grant for one content's memory. Reusable after [#revoke].
    private final class Awaited implements MemoryGrant {
        private int index;

        @Override
        public void revoke(Revoked then) {
            forget(index);
            free.add(this);
            then.onRevoked();
        }
    }

    /// Awaits the content of this request over every lane, until it has landed or the grant is revoked.
    MemoryGrant await(int requestIndex) {
        int slot = find(requestIndex);
        if (indexes[slot] == NONE) {
            if (++size > indexes.length / 2) {
                grow();
                slot = find(requestIndex);
            }
            indexes[slot] = requestIndex;
        }
        lanes[slot] = 0;
        Awaited awaited = free.isEmpty() ? new Awaited() : free.remove();
        awaited.index = requestIndex;
        return awaited;
    }

    /// Records the immediate of a request over a lane; returns whether the content has landed.
    ///
    /// @param lane 1 or more
    /// @throws ProtocolViolationException if it has already arrived over this lane
    boolean arrived(int requestIndex, int lane) {
        int slot = find(requestIndex);
        if (indexes[slot] == NONE) {
            // The content uses one lane, or is not awaited.
            return true;
        }
        long bit = 1L << (lane - 1);
        if ((lanes[slot] & bit) != 0) {
            throw new ProtocolViolationException("a part of the content of request "
                    + Integer.toUnsignedString(requestIndex) + " arrived twice over lane " + lane);
        }
        lanes[slot] |= bit;
        if (lanes[slot] != allLanes) {
            return false;
        }
        remove(slot);
        return true;
    }

    int size() {
        return size;
    }

    private void forget(int requestIndex) {
        int slot = find(requestIndex);
        if (indexes[slot] != NONE) {
            remove(slot);
        }
    }

    /// Slot of the request, or the free slot for it.
    private int find(int requestIndex) {
        int slot = home(requestIndex);
        while (indexes[slot] != NONE && indexes[slot] != requestIndex) {
            slot = slot + 1 & indexes.length - 1;
        }
        return slot;
    }

    private int home(int requestIndex) {
        // The low bits hold the slot in the table of requests, the high bits its generation.
        return (requestIndex ^ requestIndex >>> 20) & indexes.length - 1;
    }

    /// Moves the following entries that linear probing had displaced.
    private void remove(int removed) {
        int gap = removed;
        int slot = gap + 1 & indexes.length - 1;
        while (indexes[slot] != NONE) {
            int home = home(indexes[slot]);
            if ((slot - home & indexes.length - 1) >= (slot - gap & indexes.length - 1)) {
                indexes[gap] = indexes[slot];
                lanes[gap] = lanes[slot];
                gap = slot;
            }
            slot = slot + 1 & indexes.length - 1;
        }
        indexes[gap] = NONE;
        size--;
    }

    private void grow() {
        int[] oldIndexes = indexes;
        long[] oldLanes = lanes;
        indexes = new int[oldIndexes.length * 2];
        lanes = new long[oldIndexes.length * 2];
        Arrays.fill(indexes, NONE);
        for (int i = 0; i < oldIndexes.length; i++) {
            if (oldIndexes[i] != NONE) {
                int slot = find(oldIndexes[i]);
                indexes[slot] = oldIndexes[i];
                lanes[slot] = oldLanes[i];
            }
        }
    }
}
