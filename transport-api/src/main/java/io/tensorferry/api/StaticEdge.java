package io.tensorferry.api;

/// A way for tensors of one type and shape from a producer to a consumer on another worker, known to both before the
/// first of them travels. The consumer's memory is allocated once, and every tensor is written straight into it: no
/// request, no metadata, no copy. Immutable; both ends are opened with an equal one.
///
/// After Xue et al., "Fast Distributed Deep Learning over RDMA" (EuroSys 2019).
///
/// @param key names it; no two open edges of a worker have the same
/// @param dataType of every tensor; not [DataType#STRING]
/// @param shape of every tensor
/// @param places tensors that the consumer's memory holds, 1 or 2: with two the next one is written while the consumer
///     has one
/// @param reuse what tells the producer that a place may be written again
public record StaticEdge(RendezvousKey key, DataType dataType, Shape shape, int places, Reuse reuse) {
    /// Places begin at multiples of this, in bytes.
    public static final int PLACE_ALIGNMENT = 64;

    private static final int MOST_PLACES = 2;

    /// What tells a producer that the consumer is done with a place.
    public enum Reuse {
        /// The consumer says so: its [StaticReceiver#release()] reaches the producer, whose tensors wait until then.
        CREDIT,
        /// The application's own order of things: whoever sends knows, by what else it has received, that the consumer
        /// has released the tensor so many places before. Nothing is sent for it. Where that was wrong, the edge fails
        /// at the consumer, who may have read a mixture of two tensors by then.
        DEPENDENCY
    }

    /// @throws IllegalArgumentException naming what is out of its range
    public StaticEdge {
        if (!dataType.isDmaAble()) {
            throw new IllegalArgumentException(
                    "the elements of " + dataType + " have no fixed size; a static edge carries none: " + key);
        }
        if (places < 1 || places > MOST_PLACES) {
            throw new IllegalArgumentException("places " + places + " of " + key + " must be 1 or 2");
        }
        if (key.source().worker().equals(key.destination().worker())) {
            throw new IllegalArgumentException("both ends of " + key
                    + " are on one worker; a static edge leads to another, and a rendezvous hands tensors over here");
        }
        // Notices now what would overflow.
        Math.multiplyExact(padded(shape.byteSize(dataType)), places);
    }

    /// One place, and the consumer says when it may be written again.
    public static StaticEdge of(RendezvousKey key, DataType dataType, Shape shape) {
        return new StaticEdge(key, dataType, shape, 1, Reuse.CREDIT);
    }

    /// The same with two places.
    public StaticEdge doubleBuffered() {
        return new StaticEdge(key, dataType, shape, MOST_PLACES, reuse);
    }

    public StaticEdge withReuse(Reuse changed) {
        return new StaticEdge(key, dataType, shape, places, changed);
    }

    /// Bytes of one tensor.
    public long tensorBytes() {
        return shape.byteSize(dataType);
    }

    /// Bytes from one place to the next, a multiple of [#PLACE_ALIGNMENT].
    public long placeBytes() {
        return padded(tensorBytes());
    }

    /// Bytes of all places together; 0 for a tensor without elements.
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
