package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.device.PortAttributes;
import java.util.List;

/// A port of an opened device, and the verdict of the choice.
///
/// @param number the port's number, from 1
/// @param attributes the port's state when it was examined
/// @param reason the reason for the verdict, in words that follow "port 2:"
/// @param gids the entries of its GID table that are in use; empty unless the port was taken
public record PortCandidate(
        int number, PortAttributes attributes, Verdict verdict, String reason, List<GidCandidate> gids) {
    public PortCandidate {
        gids = List.copyOf(gids);
    }
}
