package io.tensorferry.verbs.rendezvous;

import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import java.util.OptionalLong;

/// Where a content lands that is asked for in pieces: the sender is told of one piece of memory after the other.
///
/// As a grant it holds the keys of the pieces that have landed: revoking it tells when none of them can be written any
/// more.
///
/// Owner: the thread that makes it, then the loop.
sealed interface PieceDestination extends Destination, MemoryGrant permits PieceReceiver, WindowedPieces {
    /// Names the first pieces; the peer has been told that they come.
    ///
    /// @param by is told when it cannot go on
    /// @param over the channel by which they come
    /// @param expected the checksum of the content, if there is one
    void begin(TensorRequest by, RdmaChannel over, OptionalLong expected);

    /// An immediate of the request came over a lane.
    ///
    /// @return whether all of the content has landed
    /// @throws io.tensorferry.verbs.wire.ProtocolViolationException if no piece is named for this lane that has not
    /// landed
    boolean landed(int lane);

    /// The request is given up, or cannot go on: nothing else is named.
    void stop();
}
