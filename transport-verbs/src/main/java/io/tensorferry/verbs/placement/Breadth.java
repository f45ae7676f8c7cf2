package io.tensorferry.verbs.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/// The number of bytes in use at one position.
record Breadth(int position, long bytes) {
    /// Returns the breadth at each position at which a span begins, in order of time. The breadth grows only at these
    /// positions, so the greatest breadth is among them.
    static List<Breadth> overTime(List<Span> spans) {
        // Bytes that come into use at a position, and bytes by the last position of their use.
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

    /// Returns the breadths sorted by size, the greatest first; of equal ones, the earlier first.
    static List<Breadth> widestFirst(List<Span> spans) {
        List<Breadth> breadths = overTime(spans);
        breadths.sort(Comparator.comparingLong(Breadth::bytes).reversed().thenComparingInt(Breadth::position));
        return breadths;
    }

    /// Returns the greatest breadth, a lower bound for every packing; 0 if there is no span.
    static long greatest(List<Span> spans) {
        return overTime(spans).stream().mapToLong(Breadth::bytes).max().orElse(0);
    }
}
