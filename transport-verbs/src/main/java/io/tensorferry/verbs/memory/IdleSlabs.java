package io.tensorferry.verbs.memory;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Released slabs of single large requests, kept for reuse. A training step requests the same sizes as the previous
/// one, and registering a slab and touching its pages takes longer than filling it.
///
/// Threading: under the lock of the [SlabPool].
final class IdleSlabs {
    /// A slab is reused only for a request of at least its size divided by this; the remainder is unused meanwhile.
    private static final int MOST_WASTE = 2;

    private final long mostBytes;
    // Ordered by time of release, oldest first.
    private final Set<Slab> slabs = new LinkedHashSet<>();
    private long bytes;

    /// @param mostBytes maximum total bytes, 0 or more
    IdleSlabs(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /// Takes the smallest slab that fits the request; returns null if there is none.
    @Nullable
    Slab take(long size) {
        Slab smallest = null;
        for (Slab slab : slabs) {
            boolean fits = slab.byteSize() >= size && slab.byteSize() / MOST_WASTE <= size;
            if (fits && (smallest == null || slab.byteSize() < smallest.byteSize())) {
                smallest = slab;
            }
        }
        if (smallest != null) {
            remove(smallest);
        }
        return smallest;
    }

    private void remove(Slab slab) {
        slabs.remove(slab);
        bytes -= slab.byteSize();
    }

    /// Adds a released slab; moves slabs beyond the limit to `released`, oldest first.
    void give(Slab returned, List<Slab> released) {
        slabs.add(returned);
        bytes += returned.byteSize();
        while (bytes > mostBytes) {
            Slab oldest = slabs.iterator().next();
            remove(oldest);
            released.add(oldest);
        }
    }

    List<Slab> takeAll() {
        var all = new ArrayList<>(slabs);
        slabs.clear();
        bytes = 0;
        return all;
    }
}
