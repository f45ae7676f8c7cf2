package io.tensorferry.verbs.channel.lane;

import java.util.Arrays;
import java.util.Collection;

/// Tracks the contents sent inside ring messages that the peer has not acknowledged, slot by slot. After the loss of
/// the channel, it answers a peer that requests one of them again.
///
/// Owner: the loop.
final class CarriedContents {
    /// Number of contents in each unacknowledged slot and in the slot being filled, as a circular buffer.
    private final int[] counts;

    private int firstSlot;
    private int slots;
    /// Request indexes of the contents, oldest first, as a circular buffer whose length is a power of two.
    private int[] indexes = new int[64];

    private int first;
    private int size;

    /// @param most slots of the ring, a power of two
    CarriedContents(int most) {
        this.counts = new int[most];
    }

    /// Records a content in the slot being filled.
    void add(int requestIndex) {
        if (size == indexes.length) {
            int[] longer = Arrays.copyOf(indexes, 2 * size);
            for (int i = 0; i < size; i++) {
                longer[i] = indexes[(first + i) & (size - 1)];
            }
            indexes = longer;
            first = 0;
        }
        indexes[(first + size) & (indexes.length - 1)] = requestIndex;
        size++;
        counts[(firstSlot + slots) & (counts.length - 1)]++;
    }

    /// Records that the filled slot is posted.
    void slotFilled() {
        slots++;
    }

    /// Records that the peer has taken the oldest `taken` slots.
    void acknowledged(int taken) {
        for (int i = 0; i < taken; i++) {
            int contents = counts[firstSlot];
            counts[firstSlot] = 0;
            firstSlot = (firstSlot + 1) & (counts.length - 1);
            first = (first + contents) & (indexes.length - 1);
            size -= contents;
        }
        slots -= taken;
    }

    /// Adds all request indexes, oldest first.
    void addTo(Collection<Integer> found) {
        for (int i = 0; i < size; i++) {
            found.add(indexes[(first + i) & (indexes.length - 1)]);
        }
    }
}
