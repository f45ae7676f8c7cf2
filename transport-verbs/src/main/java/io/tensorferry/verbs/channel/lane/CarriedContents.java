package io.tensorferry.verbs.channel.lane;

import java.util.Arrays;
import java.util.Collection;

/// The contents that went inside messages of the ring and of which the peer has not said that it took them, slot after
/// slot: what a peer is told that asks for one again after the channel was lost.
///
/// Owner: the loop.
final class CarriedContents {
    /// How many contents are in each of the slots that are not acknowledged, and in the one that is filled now, in a
    /// circle.
    private final int[] counts;

    private int firstSlot;
    private int slots;
    /// Their request indexes, oldest first, in a circle whose length is a power of two.
    private int[] indexes = new int[64];

    private int first;
    private int size;

    /// @param most slots of the ring, a power of two
    CarriedContents(int most) {
        this.counts = new int[most];
    }

    /// The slot that is filled now has the content of a request too.
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

    /// The slot that was filled is posted.
    void slotFilled() {
        slots++;
    }

    /// The peer has taken the oldest `taken` slots.
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

    /// Adds the request indexes of all of them, oldest first.
    void addTo(Collection<Integer> found) {
        for (int i = 0; i < size; i++) {
            found.add(indexes[(first + i) & (indexes.length - 1)]);
        }
    }
}
