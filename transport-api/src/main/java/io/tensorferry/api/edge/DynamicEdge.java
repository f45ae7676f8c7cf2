package io.tensorferry.api.edge;

import io.tensorferry.api.RendezvousKey;

/// Describes an edge for tensors of varying type and shape, from a producer to a consumer on another worker.
///
/// The producer announces each tensor with its type, shape and address. The consumer allocates memory, reads the
/// content from the producer's memory by RDMA READ, and acknowledges it. Tensors from [DynamicSender#allocator()] are
/// not copied. Immutable. Both ends open equal descriptions.
///
/// After Xue et al., "Fast Distributed Deep Learning over RDMA" (EuroSys 2019).
///
/// @param key identifies the edge; unique among the open edges of a worker
/// @param slots the largest number of tensors that are announced but not yet read, 1 to 4,096; the producer keeps these
///     tensors alive
/// @param largestBytes the largest tensor in bytes, 0 or more; the producer refuses to send, and the consumer to
///     allocate, a larger one
public record DynamicEdge(RendezvousKey key, int slots, long largestBytes) {
    private static final int MOST_SLOTS = 4096;
    private static final int DEFAULT_SLOTS = 8;
    private static final long DEFAULT_LARGEST_BYTES = 4L << 30;

    /// @throws IllegalArgumentException if a value is out of its range, or both ends are on one worker
    public DynamicEdge {
        if (slots < 1 || slots > MOST_SLOTS) {
            throw new IllegalArgumentException("slots " + slots + " of " + key + " must be 1 to " + MOST_SLOTS);
        }
        if (largestBytes < 0) {
            throw new IllegalArgumentException("largestBytes " + largestBytes + " of " + key + " must be 0 or more");
        }
        if (key.source().worker().equals(key.destination().worker())) {
            throw new IllegalArgumentException("both ends of " + key
                    + " are on one worker; a dynamic edge connects two workers, use a rendezvous within one");
        }
    }

    /// Creates an edge with eight slots, for tensors of up to 4 GiB.
    public static DynamicEdge of(RendezvousKey key) {
        return new DynamicEdge(key, DEFAULT_SLOTS, DEFAULT_LARGEST_BYTES);
    }

    /// Returns a copy with another number of [#slots].
    public DynamicEdge withSlots(int changed) {
        return new DynamicEdge(key, changed, largestBytes);
    }

    /// Returns a copy with another limit for the size of a tensor, [#largestBytes].
    public DynamicEdge withLargestBytes(long changed) {
        return new DynamicEdge(key, slots, changed);
    }

    @Override
    public String toString() {
        return "DynamicEdge[" + key + ", " + slots + " slots, up to " + largestBytes + " bytes]";
    }
}
