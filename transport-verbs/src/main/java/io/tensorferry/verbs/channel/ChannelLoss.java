package io.tensorferry.verbs.channel;

import io.tensorferry.api.TransportException;
import java.util.List;

/// The outcome of a lost channel. Immutable.
///
/// @param cause the failure given to operations that do not resume
/// @param resumable whether requests may be sent again on the next channel to the same process: the path to the peer
/// failed, not the peer
/// @param unconfirmed request indexes whose contents this end has written completely according to its device, but which
/// the peer has not acknowledged
public record ChannelLoss(TransportException cause, boolean resumable, List<Integer> unconfirmed) {
    public ChannelLoss {
        unconfirmed = List.copyOf(unconfirmed);
    }
}
