package io.tensorferry.verbs.memory;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Slabs of one large request each that have come back and wait for another: a training step asks for the same sizes as
/// the step before, and to register a slab, and to touch it for the first time, takes longer than to fill it.
///
/// Threading: under the lock of the [SlabPool].
final class IdleSlabs {
    /// A slab is used for a request of at least this part of it: what lies behind is out of use meanwhile.
    private static final int MOST_WASTE = 2;

    private final long mostBytes;
    // The one that came back first is the first.
    private final Set<Slab> slabs = new LinkedHashSet<>();
    private long bytes;

    /// @param mostBytes what all of them together may take, 0 or more
    IdleSlabs(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /// The smallest that a request fits into, or null.
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

    /// One has come back; moves to `released` what is too much now, the oldest first.
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
