package io.tensorferry.verbs.placement;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// A tensor that travels in each step from a producer to a consumer, as the graph describes it before the first step.
/// Immutable.
///
/// @param key names the edge, its producer's device and its consumer's. A key with a frame or iteration other than 0
///     marks an edge inside a loop; one key then stands for all iterations
/// @param dataType the element type
/// @param shape the known part of the shape
/// @param lifetime the time in which the consumer's memory is in use
/// @param mayBeDead whether control flow may make the value dead, so that there is no content in some steps
public record GraphEdge(RendezvousKey key, DataType dataType, EdgeShape shape, Lifetime lifetime, boolean mayBeDead) {
    /// @throws IllegalArgumentException if the bytes of a known shape do not fit in 63 bits
    public GraphEdge {
        naming(key, () -> bytesOf(dataType, shape));
    }

    /// Creates an edge of this shape whose place is in use for the whole computation, and whose value is never dead.
    ///
    /// @param dimensions as for [EdgeShape#of]: -1 marks an unknown dimension, no dimensions make a scalar
    /// @throws IllegalArgumentException if the shape is invalid, or its bytes do not fit in 63 bits; the message names
    ///     the edge
    public static GraphEdge of(RendezvousKey key, DataType dataType, long... dimensions) {
        EdgeShape shape = naming(key, () -> EdgeShape.of(dimensions));
        return new GraphEdge(key, dataType, shape, Lifetime.KEPT, false);
    }

    /// Creates an edge of which not even the rank is known.
    public static GraphEdge ofUnknownShape(RendezvousKey key, DataType dataType) {
        return new GraphEdge(key, dataType, EdgeShape.unknown(), Lifetime.KEPT, false);
    }

    /// Returns this edge with a place that is in use in each step from one position to another, both included: see
    /// [Lifetime.WithinStep].
    ///
    /// @throws IllegalArgumentException if the lifetime is invalid; the message names the edge
    public GraphEdge during(int firstUse, int lastUse) {
        return withLifetime(naming(key, () -> new Lifetime.WithinStep(firstUse, lastUse)));
    }

    /// Returns this edge with two places, which steps use alternately: see [Lifetime#DOUBLE_BUFFERED].
    public GraphEdge doubleBuffered() {
        return withLifetime(Lifetime.DOUBLE_BUFFERED);
    }

    /// Returns this edge with another lifetime.
    public GraphEdge withLifetime(Lifetime other) {
        return new GraphEdge(key, dataType, shape, other, mayBeDead);
    }

    /// Returns this edge with a value that may be dead in some steps.
    public GraphEdge thatMayBeDead() {
        return new GraphEdge(key, dataType, shape, lifetime, true);
    }

    /// The size of the content in bytes, if it is known before the first step: the shape is known, and the type has a
    /// fixed size.
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
