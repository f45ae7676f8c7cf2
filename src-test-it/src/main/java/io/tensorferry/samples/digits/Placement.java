package io.tensorferry.samples.digits;

/// The placement of tensors at their consumers.
enum Placement {
    /// In memory that each receive allocates.
    RENDEZVOUS,
    /// In memory that is allocated once, for all steps.
    STATIC,
    /// In memory that is allocated when a tensor is announced, and filled by a READ.
    DYNAMIC
}
