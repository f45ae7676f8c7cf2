package io.tensorferry.verbs.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// Computes the spans from which each span takes over its bytes: the previous users of these bytes. Owned by the call
/// that creates it.
final class TakeOvers {
    /// Bytes up to `end`, and the span that used them last.
    private record Stretch(long end, Span owner) {}

    // By start offset; stretches do not overlap.
    private final NavigableMap<Long, Stretch> stretches = new TreeMap<>();

    private TakeOvers() {}

    /// Returns for each span, by index, the indexes of the spans it takes bytes over from, in ascending order. Earlier
    /// users are not listed: they are done when their successors are.
    static List<List<Integer>> of(List<Span> spans, Packing packing) {
        var takeOvers = new TakeOvers();
        var byIndex = new ArrayList<List<Integer>>(spans.size());
        spans.forEach(_ -> byIndex.add(List.of()));
        spans.stream()
                .sorted(Comparator.comparingInt(Span::first).thenComparingInt(Span::index))
                .forEach(span -> byIndex.set(span.index(), takeOvers.lay(span, packing.offset(span))));
        return byIndex;
    }

    private List<Integer> lay(Span span, long offset) {
        long end = offset + span.bytes();
        Map.Entry<Long, Stretch> before = stretches.lowerEntry(offset);
        if (before != null && before.getValue().end() > offset) {
            cut(before, offset);
        }
        var owners = new TreeSet<Integer>();
        for (Map.Entry<Long, Stretch> at = stretches.ceilingEntry(offset);
                at != null && at.getKey() < end;
                at = stretches.ceilingEntry(offset)) {
            if (at.getValue().end() > end) {
                cut(at, end);
            }
            owners.add(at.getValue().owner().index());
            stretches.remove(at.getKey());
        }
        stretches.put(offset, new Stretch(end, span));
        return List.copyOf(owners);
    }

    /// Splits a stretch in two; the second begins at `at`.
    private void cut(Map.Entry<Long, Stretch> whole, long at) {
        stretches.put(whole.getKey(), new Stretch(at, whole.getValue().owner()));
        stretches.put(at, whole.getValue());
    }
}
