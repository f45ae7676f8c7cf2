package io.tensorferry.verbs.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/// How many bytes are in use at one position.
record Breadth(int position, long bytes) {
    /// The breadth at each position at which a span begins, in the order of time. It grows nowhere else, so the
    /// greatest is among them.
    static List<Breadth> overTime(List<Span> spans) {
        // Bytes that come into use at a position, and those that go out of use before it.
        var coming = new TreeMap<Integer, Long>();
        var going = new TreeMap<Integer, Long>();
        for (Span span : spans) {
            coming.merge(span.first(), span.bytes(), Long::sum);
            going.merge(span.last(), span.bytes(), Long::sum);
        }
        var breadths = new ArrayList<Breadth>(coming.size());
        long inUse = 0;
        for (var arrival : coming.entrySet()) {
            int position = arrival.getKey();
            while (!going.isEmpty() && going.firstKey() < position) {
                inUse -= going.pollFirstEntry().getValue();
            }
            inUse += arrival.getValue();
            breadths.add(new Breadth(position, inUse));
        }
        return breadths;
    }

    /// The same, the greatest breadth first; of equal ones, the earlier.
    static List<Breadth> widestFirst(List<Span> spans) {
        List<Breadth> breadths = overTime(spans);
        breadths.sort(Comparator.comparingLong(Breadth::bytes).reversed().thenComparingInt(Breadth::position));
        return breadths;
    }

    /// The greatest breadth: no packing takes less. 0 where there is no span.
    static long greatest(List<Span> spans) {
        return overTime(spans).stream().mapToLong(Breadth::bytes).max().orElse(0);
    }
}
