package io.tensorferry.verbs.placement;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.verbs.placement.EdgeDecision.Static;
import java.util.ArrayList;
import java.util.List;

/// The layout of one worker's static tensors. Owned by the call that creates it.
///
/// Tensors kept for the whole computation overlap in time with all others, so they are laid first, one after the other.
/// This costs nothing: no packing could share their bytes. Only the other tensors have to be packed.
final class StaticLayout {
    private final PlacementOptions options;
    private final List<Static> decisions = new ArrayList<>();
    private final List<GraphEdge> sharing = new ArrayList<>();
    private final List<Span> spans = new ArrayList<>();
    private long keptBytes;
    private long sumOfSizes;
    private long packedBytes;
    private long packedLowerBound;

    private StaticLayout(PlacementOptions options) {
        this.options = options;
    }

    /// @param edges the static edges of one worker, in the order in which they are laid if nothing else decides
    /// @throws IllegalArgumentException if all of them together have more than 2^63 - 1 bytes
    static StaticLayout of(List<GraphEdge> edges, PlacementOptions options) {
        var layout = new StaticLayout(options);
        edges.forEach(layout::add);
        layout.pack();
        return layout;
    }

    private void add(GraphEdge edge) {
        long bytes = edge.byteSize().orElseThrow();
        switch (edge.lifetime()) {
            case Lifetime.AcrossSteps(int count) -> keep(edge, bytes, count);
            case Lifetime.WithinStep _ when options.steps() == StepOrder.OVERLAPPING -> keep(edge, bytes, 1);
            case Lifetime.WithinStep(int first, int last) -> share(edge, bytes, first, last);
        }
    }

    private void keep(GraphEdge edge, long bytes, int count) {
        var offsets = new ArrayList<Long>(count);
        for (int place = 0; place < count; place++) {
            offsets.add(keptBytes);
            keptBytes += reserve(edge, bytes);
        }
        decisions.add(new Static(edge, bytes, offsets, List.of()));
    }

    private void share(GraphEdge edge, long bytes, int first, int last) {
        if (bytes == 0) {
            decisions.add(new Static(edge, 0, List.of(0L), List.of()));
        } else {
            spans.add(new Span(sharing.size(), reserve(edge, bytes), first, last));
            sharing.add(edge);
        }
    }

    /// Counts the bytes of one place and returns its aligned size.
    private long reserve(GraphEdge edge, long bytes) {
        try {
            long size = Math.addExact(bytes, options.alignment() - 1) & -options.alignment();
            sumOfSizes = Math.addExact(sumOfSizes, size);
            return size;
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "edge " + edge.key() + ": its " + bytes + " bytes and the " + sumOfSizes
                            + " of other static tensors of its worker must fit in 63 bits together; a smaller"
                            + " largestStaticBytes than "
                            + options.largestStaticBytes() + " leaves the largest to the rendezvous",
                    e);
        }
    }

    private void pack() {
        if (spans.isEmpty()) {
            return;
        }
        Packing packing = PackingSearch.best(spans);
        packedBytes = packing.peak();
        packedLowerBound = Breadth.greatest(spans);
        List<List<Integer>> takeOvers = TakeOvers.of(spans, packing);
        for (Span span : spans) {
            GraphEdge edge = sharing.get(span.index());
            List<RendezvousKey> from = takeOvers.get(span.index()).stream()
                    .map(index -> sharing.get(index).key())
                    .toList();
            long offset = keptBytes + packing.offset(span);
            decisions.add(new Static(edge, edge.byteSize().orElseThrow(), List.of(offset), from));
        }
    }

    /// One decision for each edge, in no particular order.
    List<Static> decisions() {
        return decisions;
    }

    long plannedBytes() {
        return keptBytes + packedBytes;
    }

    long sumOfSizes() {
        return sumOfSizes;
    }

    long lowerBound() {
        return keptBytes + packedLowerBound;
    }
}
