package io.tensorferry.api;

/// Determines when a receive with a result on an accelerator ends. A result in host memory is always complete.
public enum Delivery {
    /// The receive ends when the content is complete.
    COMPLETE,
    /// The receive ends when the last copy of the content is queued. The tensor's [Tensor#readyEvent()] is reached when
    /// the content is complete; make a stream wait for it. If the accelerator fails before that, the receive has still
    /// ended with the tensor: the event throws, and the content is undefined. A tensor that is complete at once has no
    /// event.
    QUEUED
}
