package io.tensorferry.verbs.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Searches for a packing of few bytes. Owned by the call that creates it; equal spans give equal packings.
///
/// The minimum is not computed: offline dynamic storage allocation is NP-hard. Each of the [PackingOrders] is tried and
/// then improved: the span that reaches the peak moves to the front, and all spans are laid again. The best packing
/// wins; the search stops as soon as one reaches the lower bound.
final class PackingSearch {
    private static final int MOST_ROUNDS = 128;

    /// Bounds the time for many spans. It assumes that a span is compared with all laid spans, although blocks reduce
    /// the comparisons: the number of rounds determines the plan, and equal graphs must get equal plans.
    private static final long COMPARISONS = 200_000_000;

    private final List<Span> spans;
    private final TimeSlices slices;
    private final long lowerBound;
    private final int rounds;
    private @Nullable Packing best;

    private PackingSearch(List<Span> spans) {
        this.spans = spans;
        slices = TimeSlices.of(spans);
        lowerBound = Breadth.greatest(spans);
        long size = spans.size();
        rounds = Math.clamp(COMPARISONS / (size * size), 1, MOST_ROUNDS);
    }

    /// @param spans at least one, with the indexes 0 to `spans.size() - 1`
    static Packing best(List<Span> spans) {
        return new PackingSearch(spans).search();
    }

    private Packing search() {
        for (List<Span> order : PackingOrders.of(spans)) {
            improve(order);
            if (peak() == lowerBound) {
                break;
            }
        }
        return Objects.requireNonNull(best, "the first order is always completed");
    }

    private void improve(List<Span> start) {
        var order = new ArrayList<>(start);
        for (int round = 1; round <= rounds && peak() > lowerBound; round++) {
            // The last round has no successor, so it may stop as soon as it cannot be the best.
            Packing packing = Packing.inOrder(order, slices, round == rounds ? peak() : Long.MAX_VALUE);
            if (packing == null) {
                break;
            }
            if (packing.peak() < peak()) {
                best = packing;
            }
            if (order.getFirst().equals(packing.top())) {
                break;
            }
            order.remove(packing.top());
            order.addFirst(packing.top());
        }
    }

    private long peak() {
        return best == null ? Long.MAX_VALUE : best.peak();
    }
}
