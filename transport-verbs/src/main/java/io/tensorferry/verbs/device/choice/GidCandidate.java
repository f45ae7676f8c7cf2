package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.device.GidEntry;

/// An entry of a port's GID table that is in use, and the verdict of the choice.
///
/// @param reason the reason for the verdict, in words that follow "GID 3 ...:"
public record GidCandidate(GidEntry entry, Verdict verdict, String reason) {}
