package io.tensorferry.samples.digits;

/// Where tensors land at their consumers.
enum Placement {
    /// In memory that is allocated when they are asked for, one by one.
    RENDEZVOUS,
    /// In memory that is allocated once, for all steps.
    STATIC,
    /// In memory that is allocated when they come, and read from there.
    DYNAMIC
}
