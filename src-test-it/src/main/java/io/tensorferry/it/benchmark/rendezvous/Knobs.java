package io.tensorferry.it.benchmark.rendezvous;

import io.tensorferry.api.partition.GatherOptions;
import io.tensorferry.it.benchmark.ByteSize;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.PostingOptions;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The settings in a path's name that change the defaults of its channels, gathers and accelerators. Immutable.
///
/// @param values of the knobs that are set
public record Knobs(Map<Knob, Long> values) {
    /// The defaults.
    public static final Knobs NONE = new Knobs(Map.of());

    /// Accepts every value that a knob may have on its own. Constraints between knobs are checked when all values are
    /// known.
    private static final ChannelOptions WIDE =
            ChannelOptions.defaults().withPosting(new PostingOptions(0, 4096, Long.MAX_VALUE, 0, 0));

    /// The equivalent for accelerators.
    private static final AcceleratorOptions WIDE_ACCELERATOR =
            AcceleratorOptions.defaults().withPieces(4096, 1);

    public Knobs {
        values = Map.copyOf(values);
    }

    /// @param settings for example `chunk=4MiB`
    /// @throws IllegalArgumentException naming the invalid setting and the valid values
    public static Knobs parse(List<String> settings) {
        var values = new EnumMap<Knob, Long>(Knob.class);
        for (String setting : settings) {
            String[] sides = setting.split("=", 2);
            try {
                Knob knob = Knob.of(sides[0]);
                long value = ByteSize.parse(sides[1]).bytes();
                var alone = new Knobs(Map.of(knob, value));
                var _ = alone.applyTo(WIDE);
                var _ = alone.applyTo(GatherOptions.defaults());
                var _ = alone.applyTo(WIDE_ACCELERATOR);
                if (values.putIfAbsent(knob, value) != null) {
                    throw new IllegalArgumentException("'" + sides[0] + "' is there twice");
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("'" + setting + "': " + e.getMessage(), e);
            }
        }
        var knobs = new Knobs(values);
        try {
            var _ = knobs.applyTo(ChannelOptions.defaults());
            var _ = knobs.applyTo(AcceleratorOptions.defaults());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'" + String.join(":", settings) + "': " + e.getMessage() + "; " + Knob.ALL, e);
        }
        return knobs;
    }

    /// Applies the knobs to `options`.
    ///
    /// @throws IllegalArgumentException if a value is out of its range, or conflicts with another
    ChannelOptions applyTo(ChannelOptions options) {
        PostingOptions posting = options.posting();
        return options.withLanes(number(Knob.LANES, options.lanes()))
                .withStripeBytes(bytes(Knob.STRIPE, options.stripeBytes()))
                .withReadsAtOnce(number(Knob.READS, options.readsAtOnce()))
                .withPosting(new PostingOptions(
                        posting.signalInterval(),
                        number(Knob.CHUNK, posting.chunkBytes()),
                        bytes(Knob.UNDER_WAY, posting.bytesUnderWay()),
                        number(Knob.INLINE, posting.inlineBytes()),
                        number(Knob.RING, posting.ringContentBytes())));
    }

    /// Applies the knobs to `options`.
    ///
    /// @throws IllegalArgumentException if a value is out of its range
    public GatherOptions applyTo(GatherOptions options) {
        return options.withQueuePairs(number(Knob.GATHER_QUEUE_PAIRS, options.queuePairs()))
                .withSignalInterval(number(Knob.GATHER_SIGNAL, options.signalInterval()))
                .withSorted(isOn(Knob.GATHER_SORTED, options.sorted()))
                .withMerged(isOn(Knob.GATHER_MERGED, options.merged()));
    }

    /// Applies the knobs to `options`.
    ///
    /// @throws IllegalArgumentException if a value is out of its range, or conflicts with another
    AcceleratorOptions applyTo(AcceleratorOptions options) {
        return new AcceleratorOptions(
                bytes(Knob.PROXIES, options.proxyBytes()),
                number(Knob.PIECE, options.pieceBytes()),
                number(Knob.PIECES, options.piecesAtOnce()),
                options.deviceMemory());
    }

    /// Whether any knob is set that only accelerators have.
    public boolean concernAccelerators() {
        return !Collections.disjoint(values.keySet(), Knob.OF_ACCELERATORS);
    }

    /// Whether any knob is set that only gathers have.
    public boolean concernGathers() {
        return !Collections.disjoint(values.keySet(), Knob.OF_GATHERS);
    }

    private boolean isOn(Knob knob, boolean usual) {
        long value = bytes(knob, usual ? 1 : 0);
        if (value > 1) {
            throw new IllegalArgumentException("it is on (1) or off (0)");
        }
        return value == 1;
    }

    private long bytes(Knob knob, long usual) {
        return values.getOrDefault(knob, usual);
    }

    /// Clamps a value to an int. The largest int exceeds the range of every option, so it is rejected later.
    private int number(Knob knob, int usual) {
        return (int) Math.min(Integer.MAX_VALUE, bytes(knob, usual));
    }
}
