package io.tensorferry.api;

/// The producer's end of a [StaticEdge]: each tensor is written into the consumer's memory as soon as there is a place.
///
/// A tensor in memory that the transport knows goes from there; another is copied first. It is kept until it is
/// written.
public interface StaticSender extends EdgeSender {}
