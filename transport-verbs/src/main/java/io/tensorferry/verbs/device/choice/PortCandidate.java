package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.device.PortAttributes;
import java.util.List;

/// A port of a device that was opened, and what the choice made of it.
///
/// @param number from 1
/// @param attributes the port's state when it was looked at
/// @param reason why it was taken or was not, in words that follow "port 2:"
/// @param gids the entries of its GID table that are in use; empty unless the port was taken
public record PortCandidate(
        int number, PortAttributes attributes, Verdict verdict, String reason, List<GidCandidate> gids) {
    public PortCandidate {
        gids = List.copyOf(gids);
    }
}
