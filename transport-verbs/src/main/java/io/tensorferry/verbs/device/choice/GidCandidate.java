package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.device.GidEntry;

/// An entry of a port's GID table that is in use, and what the choice made of it.
///
/// @param reason why it was taken or was not, in words that follow "GID 3 ...:"
public record GidCandidate(GidEntry entry, Verdict verdict, String reason) {}
