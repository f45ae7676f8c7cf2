package io.tensorferry.api.edge;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;

/// Describes an edge for tensors of one type and shape, from a producer to a consumer on another worker.
///
/// The consumer's memory is allocated once, and the producer writes every tensor directly into it by RDMA WRITE: no
/// request, no metadata, no copy. Immutable. Both ends open equal descriptions.
///
/// After Xue et al., "Fast Distributed Deep Learning over RDMA" (EuroSys 2019).
///
/// @param key identifies the edge; unique among the open edges of a worker
/// @param dataType the type of every tensor; not [DataType#STRING]
/// @param shape the shape of every tensor
/// @param places the number of tensors that fit in the consumer's memory, 1 or 2; with 2, the producer writes the next
///     tensor while the consumer reads the previous one
/// @param reuse determines when the producer may overwrite a place
public record StaticEdge(RendezvousKey key, DataType dataType, Shape shape, int places, Reuse reuse) {
    /// The alignment of each place, in bytes.
    public static final int PLACE_ALIGNMENT = 64;

    private static final int MOST_PLACES = 2;

    /// Determines when a producer may overwrite a place.
    public enum Reuse {
        /// The consumer returns a credit: [StaticReceiver#release()] notifies the producer, whose tensors wait until
        /// then.
        CREDIT,
        /// The application's own dependencies guarantee it: before each send, the sender has learnt, from other data
        /// that it received, that the consumer released the tensor that occupied the same place. No credit is sent. If
        /// the guarantee is violated, the edge fails at the consumer, which may by then have read a mixture of two
        /// tensors.
        DEPENDENCY
    }

    /// @throws IllegalArgumentException if a value is out of its range, the type has no fixed size, or both ends are on
    ///     one worker
    /// @throws ArithmeticException if the bytes of all places together do not fit in a `long`
    public StaticEdge {
        if (!dataType.isDmaAble()) {
            throw new IllegalArgumentException(
                    "the elements of " + dataType + " have no fixed size; a static edge cannot carry them: " + key);
        }
        if (places < 1 || places > MOST_PLACES) {
            throw new IllegalArgumentException("places " + places + " of " + key + " must be 1 or 2");
        }
        if (key.source().worker().equals(key.destination().worker())) {
            throw new IllegalArgumentException("both ends of " + key
                    + " are on one worker; a static edge connects two workers, use a rendezvous within one");
        }
        // Fails early if the size overflows.
        Math.multiplyExact(padded(shape.byteSize(dataType)), places);
    }

    /// Creates an edge with one place and [Reuse#CREDIT].
    public static StaticEdge of(RendezvousKey key, DataType dataType, Shape shape) {
        return new StaticEdge(key, dataType, shape, 1, Reuse.CREDIT);
    }

    /// Returns a copy with two places.
    public StaticEdge doubleBuffered() {
        return new StaticEdge(key, dataType, shape, MOST_PLACES, reuse);
    }

    /// Returns a copy with another rule for overwriting a place.
    public StaticEdge withReuse(Reuse changed) {
        return new StaticEdge(key, dataType, shape, places, changed);
    }

    /// The size of one tensor in bytes.
    public long tensorBytes() {
        return shape.byteSize(dataType);
    }

    /// The distance from one place to the next in bytes, a multiple of [#PLACE_ALIGNMENT].
    public long placeBytes() {
        return padded(tensorBytes());
    }

    /// The size of all places together in bytes; 0 for a tensor without elements.
    public long memoryBytes() {
        return placeBytes() * places;
    }

    private static long padded(long bytes) {
        return Math.addExact(bytes, PLACE_ALIGNMENT - 1) / PLACE_ALIGNMENT * PLACE_ALIGNMENT;
    }

    @Override
    public String toString() {
        return "StaticEdge[" + key + ", " + dataType + " " + shape + ", " + places
                + (places == 1 ? " place, " : " places, ") + reuse + "]";
    }
}
