package io.tensorferry.api.edge;

import io.tensorferry.api.TensorAllocator;

/// The producer's end of a [DynamicEdge]: announces each tensor as soon as a slot is free, and keeps it until the
/// consumer has read it.
public interface DynamicSender extends EdgeSender {
    /// Allocates tensors that the consumer can read in place. A tensor in other memory is copied when it is sent.
    ///
    /// Threading: any thread. An allocation may wait for memory, as the transport's own allocator does.
    TensorAllocator allocator();
}
