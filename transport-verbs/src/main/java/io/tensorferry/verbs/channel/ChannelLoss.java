package io.tensorferry.verbs.channel;

import io.tensorferry.api.TransportException;
import java.util.List;

/// How a channel ended. Immutable.
///
/// @param cause what whoever does not go on over another channel fails with
/// @param resumable whether requests may be asked again on the next channel to the same process: the way to the peer
///     failed, not the peer
/// @param unconfirmed request indexes whose contents this end has written completely, as its device says, and of which
///     the peer has not said that it took them
public record ChannelLoss(TransportException cause, boolean resumable, List<Integer> unconfirmed) {
    public ChannelLoss {
        unconfirmed = List.copyOf(unconfirmed);
    }
}
