package io.tensorferry.it.benchmark.rendezvous;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/// What a path's name may change of how the transport posts: a threshold, or a number of queue pairs. Each has a
/// number, or a size as `4KiB`; what is on or off has 1 or 0.
enum Knob {
    LANES("lanes", "lanes"),
    STRIPE("stripe", "stripeBytes"),
    CHUNK("chunk", "chunkBytes"),
    UNDER_WAY("underway", "bytesUnderWay"),
    INLINE("inline", "inlineBytes"),
    RING("ring", "ringContentBytes"),
    READS("reads", "readsAtOnce"),
    GATHER_QUEUE_PAIRS("qps", "queuePairs of a gather"),
    GATHER_SIGNAL("signal", "signalInterval of a gather"),
    GATHER_SORTED("sorted", "sorted of a gather"),
    GATHER_MERGED("merged", "merged of a gather"),
    PIECE("piece", "pieceBytes of accelerators"),
    PIECES("pieces", "piecesAtOnce of accelerators"),
    PROXIES("proxies", "proxyBytes of accelerators");

    /// Those that paths without gathers do not have.
    static final Set<Knob> OF_GATHERS =
            Collections.unmodifiableSet(EnumSet.of(GATHER_QUEUE_PAIRS, GATHER_SIGNAL, GATHER_SORTED, GATHER_MERGED));

    /// Those that only paths between accelerators have.
    static final Set<Knob> OF_ACCELERATORS = Collections.unmodifiableSet(EnumSet.of(PIECE, PIECES, PROXIES));

    /// For people: the knobs, and what they turn.
    static final String ALL = Arrays.stream(values())
            .map(each -> each.text + " (" + each.option + ")")
            .collect(Collectors.joining(", ", "the knobs are ", ""));

    private final String text;
    private final String option;

    /// @param option the component of `ChannelOptions`, `PostingOptions`, `GatherOptions` or `AcceleratorOptions` that
    /// it
    ///     turns
    Knob(String text, String option) {
        this.text = text;
        this.option = option;
    }

    /// @throws IllegalArgumentException if there is no knob of this name
    static Knob of(String text) {
        return Arrays.stream(values())
                .filter(each -> each.text.equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no knob '" + text + "'; " + ALL));
    }
}
