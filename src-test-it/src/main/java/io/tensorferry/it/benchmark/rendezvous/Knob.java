package io.tensorferry.it.benchmark.rendezvous;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/// A setting of the transport that a path's name may change, for example a threshold or a number of queue pairs. Its
/// value is a number, a size such as `4KiB`, or 1 or 0 for on or off.
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

    /// The knobs that only paths with gathers have.
    static final Set<Knob> OF_GATHERS =
            Collections.unmodifiableSet(EnumSet.of(GATHER_QUEUE_PAIRS, GATHER_SIGNAL, GATHER_SORTED, GATHER_MERGED));

    /// The knobs that only paths between accelerators have.
    static final Set<Knob> OF_ACCELERATORS = Collections.unmodifiableSet(EnumSet.of(PIECE, PIECES, PROXIES));

    /// The list of knobs with their options, for people.
    static final String ALL = Arrays.stream(values())
            .map(each -> each.text + " (" + each.option + ")")
            .collect(Collectors.joining(", ", "the knobs are ", ""));

    private final String text;
    private final String option;

    /// @param option the component of `ChannelOptions`, `PostingOptions`, `GatherOptions` or `AcceleratorOptions` that
    ///     the knob sets
    Knob(String text, String option) {
        this.text = text;
        this.option = option;
    }

    /// @throws IllegalArgumentException if no knob has this name
    static Knob of(String text) {
        return Arrays.stream(values())
                .filter(each -> each.text.equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no knob '" + text + "'; " + ALL));
    }
}
