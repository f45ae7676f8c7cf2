package io.tensorferry.api;

/// When a receive ends whose result is on an accelerator. Results in host memory are complete in any case.
public enum Delivery {
    /// When the content is there.
    COMPLETE,
    /// When the last copy of the content is queued: the tensor has a [Tensor#readyEvent()] that says when it is there,
    /// for a stream to wait for. Where the accelerator fails before that, the receive has ended all the same: it is the
    /// event that throws, and the content is undefined. A tensor that is there at once has no event.
    QUEUED
}
