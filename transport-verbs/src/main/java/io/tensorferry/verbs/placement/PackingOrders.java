package io.tensorferry.verbs.placement;

import static java.util.Comparator.comparingDouble;
import static java.util.Comparator.comparingInt;
import static java.util.Comparator.comparingLong;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The initial orders in which spans are laid: spans that are hard to place come first. Stateless; any thread.
///
/// The orders by size and by breadth are the two greedy algorithms of Pisarchyk and Lee, "Efficient Memory Management
/// for Deep Neural Net Inference" (2020). Each order is total, so it does not depend on the order of the input.
final class PackingOrders {
    private static final Comparator<Span> LARGEST = comparingLong(Span::bytes)
            .reversed()
            .thenComparing(comparingDouble(Span::duration).reversed());
    private static final Comparator<Span> LONGEST = comparingDouble(Span::duration)
            .reversed()
            .thenComparing(comparingLong(Span::bytes).reversed());
    private static final Comparator<Span> LARGEST_AREA =
            comparingDouble((Span span) -> span.bytes() * span.duration()).reversed();

    private PackingOrders() {}

    static List<List<Span>> of(List<Span> spans) {
        List<Span> largestFirst = sorted(spans, LARGEST);
        return List.of(largestFirst, byBreadth(largestFirst), sorted(spans, LARGEST_AREA), sorted(spans, LONGEST));
    }

    private static List<Span> sorted(List<Span> spans, Comparator<Span> order) {
        return spans.stream()
                .sorted(order.thenComparing(comparingInt(Span::index)))
                .toList();
    }

    /// First the spans in use at the position with the greatest breadth, largest first; then those of the next
    /// position.
    private static List<Span> byBreadth(List<Span> largestFirst) {
        var order = new ArrayList<Span>(largestFirst.size());
        var waiting = new WaitingSpans(largestFirst);
        for (Breadth breadth : Breadth.widestFirst(largestFirst)) {
            order.addAll(waiting.takeAt(breadth.position()));
        }
        return order;
    }
}
