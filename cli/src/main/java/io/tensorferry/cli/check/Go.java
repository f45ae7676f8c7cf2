package io.tensorferry.cli.check;

/// The caller's note that it has received all tensors and will send.
///
/// @param failure the failure in receiving; empty if there was none
record Go(String failure) {}
