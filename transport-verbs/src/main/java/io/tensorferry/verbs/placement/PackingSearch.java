package io.tensorferry.verbs.placement;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/// Looks for a packing of few bytes. Stateless; any thread; the same spans give the same packing.
///
/// The fewest bytes are not to be had: offline dynamic storage allocation is NP-hard. So each of the [PackingOrders] is
/// tried, and then improved: the span that reaches the peak goes to the front, and all is laid again. The best of all
/// is taken, at once where it reaches the lower bound.
final class PackingSearch {
    private static final int MOST_ROUNDS = 128;

    /// Bounds the time for many spans: laying n of them takes up to n * n / 2 comparisons.
    private static final long COMPARISONS = 200_000_000;

    private PackingSearch() {}

    /// @param spans at least one, with the indexes 0 to `spans.size() - 1`
    static Packing best(List<Span> spans) {
        long lowerBound = Breadth.greatest(spans);
        Iterator<List<Span>> orders = PackingOrders.of(spans).iterator();
        Packing best = improve(orders.next(), lowerBound);
        while (best.peak() > lowerBound && orders.hasNext()) {
            Packing other = improve(orders.next(), lowerBound);
            if (other.peak() < best.peak()) {
                best = other;
            }
        }
        return best;
    }

    private static Packing improve(List<Span> start, long lowerBound) {
        Packing best = Packing.inOrder(start);
        Packing last = best;
        var order = new ArrayList<>(start);
        for (int round = 1; round < rounds(start.size()) && best.peak() > lowerBound; round++) {
            Span top = last.top();
            if (order.getFirst().equals(top)) {
                break;
            }
            order.remove(top);
            order.addFirst(top);
            last = Packing.inOrder(order);
            if (last.peak() < best.peak()) {
                best = last;
            }
        }
        return best;
    }

    private static int rounds(long spans) {
        return Math.clamp(COMPARISONS / (spans * spans), 1, MOST_ROUNDS);
    }
}
