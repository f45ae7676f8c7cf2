package io.tensorferry.api;

/// The producer's end of a [DynamicEdge]: each tensor is announced as soon as there is a slot, and kept until the
/// consumer has read it.
public interface DynamicSender extends EdgeSender {
    /// Makes tensors that the consumer can read where they are. One in other memory is copied when it is sent.
    ///
    /// Threading: any thread. It may wait for memory as the transport's other memory does.
    TensorAllocator allocator();
}
