package io.tensorferry.verbs.placement;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// One tensor that travels in each step from a producer to a consumer, as the graph describes it before the first
/// step. Immutable.
///
/// @param key names the edge, its producer's device and its consumer's. A key of another frame or iteration than 0
///     says that the edge is inside a loop; one key then stands for all iterations
/// @param dataType the element type
/// @param shape what is known of the shape
/// @param lifetime when the consumer's memory is in use
/// @param mayBeDead whether control flow may make the value dead, so that there is no content in some steps
public record GraphEdge(RendezvousKey key, DataType dataType, EdgeShape shape, Lifetime lifetime, boolean mayBeDead) {
    /// @throws IllegalArgumentException if the bytes of a known shape do not fit in 63 bits
    public GraphEdge {
        naming(key, () -> bytesOf(dataType, shape));
    }

    /// An edge of this shape whose place is in use for the whole computation, and whose value is never dead.
    ///
    /// @param dimensions as of [EdgeShape#of]: -1 stands for one that is not known, none at all is a scalar
    /// @throws IllegalArgumentException if there is no such shape, or its bytes do not fit in 63 bits; the message
    ///     names the edge
    public static GraphEdge of(RendezvousKey key, DataType dataType, long... dimensions) {
        EdgeShape shape = naming(key, () -> EdgeShape.of(dimensions));
        return new GraphEdge(key, dataType, shape, Lifetime.KEPT, false);
    }

    /// An edge of which not even the rank is known.
    public static GraphEdge ofUnknownShape(RendezvousKey key, DataType dataType) {
        return new GraphEdge(key, dataType, EdgeShape.unknown(), Lifetime.KEPT, false);
    }

    /// The same edge, whose place is in use in each step from one position to another, both included: see
    /// [Lifetime.WithinStep].
    ///
    /// @throws IllegalArgumentException if that is no lifetime; the message names the edge
    public GraphEdge during(int firstUse, int lastUse) {
        return withLifetime(naming(key, () -> new Lifetime.WithinStep(firstUse, lastUse)));
    }

    /// The same edge with two places, which steps take in turn: see [Lifetime#DOUBLE_BUFFERED].
    public GraphEdge doubleBuffered() {
        return withLifetime(Lifetime.DOUBLE_BUFFERED);
    }

    /// The same edge with another lifetime.
    public GraphEdge withLifetime(Lifetime other) {
        return new GraphEdge(key, dataType, shape, other, mayBeDead);
    }

    /// The same edge, whose value may be dead in some steps.
    public GraphEdge thatMayBeDead() {
        return new GraphEdge(key, dataType, shape, lifetime, true);
    }

    /// Bytes of the content, where they are known before the first step: the shape is, and the type has a fixed size.
    public OptionalLong byteSize() {
        return bytesOf(dataType, shape);
    }

    private static OptionalLong bytesOf(DataType dataType, EdgeShape shape) {
        return dataType.isDmaAble() && shape instanceof EdgeShape.Known(var known)
                ? OptionalLong.of(known.byteSize(dataType))
                : OptionalLong.empty();
    }

    private static <T> T naming(RendezvousKey key, Supplier<T> part) {
        try {
            return part.get();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("edge " + key + ": " + e.getMessage(), e);
        }
    }
}
