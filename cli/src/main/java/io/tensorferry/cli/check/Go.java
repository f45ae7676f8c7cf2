package io.tensorferry.cli.check;

/// The caller has received all and will send.
///
/// @param failure what was wrong with what it received, or an empty text
record Go(String failure) {}
