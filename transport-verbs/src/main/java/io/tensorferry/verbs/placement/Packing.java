package io.tensorferry.verbs.placement;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// An offset for each span, such that no two spans in use at the same time share a byte. Immutable.
///
/// Created by laying one span after the other at the lowest offset where it fits. For every set of spans, some order
/// yields an optimal packing: order the spans of an optimal packing by offset; then no span is laid higher than before.
/// So only orders have to be searched ([PackingSearch]).
final class Packing {
    private final long[] offsets;
    private final long peak;
    private final Span top;

    private Packing(long[] offsets, long peak, Span top) {
        this.offsets = offsets;
        this.peak = peak;
        this.top = top;
    }

    /// Lays the spans in the given order, as long as all of them end below `limit`.
    ///
    /// @param order at least one span, with the indexes 0 to `order.size() - 1`, in any order
    /// @return null if a span ends at `limit` or above it
    static @Nullable Packing inOrder(List<Span> order, TimeSlices slices, long limit) {
        var offsets = new long[order.size()];
        var laid = new LaidSpans(slices);
        long peak = 0;
        Span top = order.getFirst();
        for (Span span : order) {
            long offset = laid.lay(span);
            offsets[span.index()] = offset;
            if (offset + span.bytes() > peak) {
                peak = offset + span.bytes();
                top = span;
                if (peak >= limit) {
                    return null;
                }
            }
        }
        return new Packing(offsets, peak, top);
    }

    long offset(Span span) {
        return offsets[span.index()];
    }

    /// The end of the highest span.
    long peak() {
        return peak;
    }

    /// The span that reaches the peak; of several, the first laid.
    Span top() {
        return top;
    }
}
