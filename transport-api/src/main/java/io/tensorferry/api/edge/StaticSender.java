package io.tensorferry.api.edge;

/// The producer's end of a [StaticEdge]: writes each tensor into the consumer's memory as soon as a place is free.
///
/// A tensor in memory that is registered with the transport is written from there; any other tensor is copied first.
/// The transport keeps the tensor until it is written.
public interface StaticSender extends EdgeSender {}
