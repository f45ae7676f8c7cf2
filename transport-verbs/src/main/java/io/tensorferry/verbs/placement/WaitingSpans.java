package io.tensorferry.verbs.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Spans that are not in an order yet, to be taken by position. Owned by the call that creates it.
///
/// A tree over the spans by first position; each node holds the greatest last position of the waiting spans below it.
/// Taking k of n spans takes about k * log(n) steps.
final class WaitingSpans {
    private static final int NONE = Integer.MIN_VALUE;

    private final List<Span> byFirst;

    /// For each of `byFirst`, its rank in the order of the input.
    private final int[] ranks;

    /// Node 1 is the root, 2i and 2i + 1 are the children of node i, and the leaves start at index `leaves`.
    private final int[] lasts;

    private final int leaves;

    /// @param spans with the indexes 0 to `spans.size() - 1`, in the order in which the spans of one position are taken
    WaitingSpans(List<Span> spans) {
        var rankOf = new int[spans.size()];
        for (int rank = 0; rank < rankOf.length; rank++) {
            rankOf[spans.get(rank).index()] = rank;
        }
        byFirst = spans.stream()
                .sorted(Comparator.comparingInt(Span::first).thenComparingInt(Span::index))
                .toList();
        ranks = byFirst.stream().mapToInt(span -> rankOf[span.index()]).toArray();
        leaves = Math.max(1, Integer.highestOneBit(2 * spans.size() - 1));
        lasts = new int[2 * leaves];
        for (int node = lasts.length - 1; node > 0; node--) {
            lasts[node] = node >= leaves ? lastOf(node - leaves) : later(node);
        }
    }

    private int lastOf(int leaf) {
        return leaf < byFirst.size() ? byFirst.get(leaf).last() : NONE;
    }

    private int later(int node) {
        return Math.max(lasts[2 * node], lasts[2 * node + 1]);
    }

    /// Removes and returns all spans in use at `position`, in the order of the input.
    List<Span> takeAt(int position) {
        var found = new ArrayList<Integer>();
        take(1, position, found);
        return found.stream()
                .sorted(Comparator.comparingInt(leaf -> ranks[leaf]))
                .map(byFirst::get)
                .toList();
    }

    /// Takes the spans below `node`. Returns false if a span was reached that begins after `position`: so do all later
    /// spans.
    private boolean take(int node, int position, List<Integer> found) {
        if (lasts[node] < position) {
            return true;
        }
        if (node < leaves) {
            boolean goesOn = take(2 * node, position, found) && take(2 * node + 1, position, found);
            lasts[node] = later(node);
            return goesOn;
        }
        if (byFirst.get(node - leaves).first() > position) {
            return false;
        }
        found.add(node - leaves);
        lasts[node] = NONE;
        return true;
    }
}
