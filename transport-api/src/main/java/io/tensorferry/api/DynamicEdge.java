package io.tensorferry.api;

/// A way for tensors from a producer to a consumer on another worker of which the key is known before the first of them
/// travels, and the shape is not. The producer announces each tensor with its type, shape and address; the consumer
/// allocates memory, reads the content from the producer's by itself, and says that it has. No copy is made where the
/// tensor comes from [DynamicSender#allocator()]. Immutable; both ends are opened with an equal one.
///
/// After Xue et al., "Fast Distributed Deep Learning over RDMA" (EuroSys 2019).
///
/// @param key names it; no two open edges of a worker have the same
/// @param slots tensors that are announced and not read, 1 to 4,096: so many the producer keeps at most
/// @param largestBytes what a tensor may take, 0 or more: the producer sends no larger one, and the consumer allocates
///     none
public record DynamicEdge(RendezvousKey key, int slots, long largestBytes) {
    private static final int MOST_SLOTS = 4096;
    private static final int DEFAULT_SLOTS = 8;
    private static final long DEFAULT_LARGEST_BYTES = 4L << 30;

    /// @throws IllegalArgumentException naming what is out of its range
    public DynamicEdge {
        if (slots < 1 || slots > MOST_SLOTS) {
            throw new IllegalArgumentException("slots " + slots + " of " + key + " must be 1 to " + MOST_SLOTS);
        }
        if (largestBytes < 0) {
            throw new IllegalArgumentException("largestBytes " + largestBytes + " of " + key + " must be 0 or more");
        }
        if (key.source().worker().equals(key.destination().worker())) {
            throw new IllegalArgumentException("both ends of " + key
                    + " are on one worker; a dynamic edge leads to another, and a rendezvous hands tensors over here");
        }
    }

    /// Eight slots, and tensors of up to 4 GiB.
    public static DynamicEdge of(RendezvousKey key) {
        return new DynamicEdge(key, DEFAULT_SLOTS, DEFAULT_LARGEST_BYTES);
    }

    /// The same with another number of [#slots].
    public DynamicEdge withSlots(int changed) {
        return new DynamicEdge(key, changed, largestBytes);
    }

    /// The same with another [#largestBytes].
    public DynamicEdge withLargestBytes(long changed) {
        return new DynamicEdge(key, slots, changed);
    }

    @Override
    public String toString() {
        return "DynamicEdge[" + key + ", " + slots + " slots, up to " + largestBytes + " bytes]";
    }
}
