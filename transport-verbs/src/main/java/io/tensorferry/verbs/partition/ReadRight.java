package io.tensorferry.verbs.partition;

import io.tensorferry.api.StatusCode;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;

/// This worker's right to read one peer's part of a tensor on one channel, from the request on.
///
/// ```
/// asked   -- granted -->                  granted: reads
/// any     -- the owner ends it -->        to be given up when no read is in flight
/// any     -- given up by this end -->     the owner is notified; the number is free once it has ended too
/// ```
///
/// Owner: the loop.
final class ReadRight {
    private final int number;
    private final RdmaChannel channel;
    private final RowSource source;
    private boolean granted;
    private boolean endedByOwner;
    private boolean givenUp;

    ReadRight(int number, RdmaChannel channel, RowSource source) {
        this.number = number;
        this.channel = channel;
        this.source = source;
    }

    RowSource source() {
        return source;
    }

    void onGrant(Message.PartGrant grant) {
        if (granted || endedByOwner) {
            throw new ProtocolViolationException("part " + number + " was granted twice, or after its end");
        }
        granted = true;
        if (!givenUp) {
            source.onGranted(grant);
        }
    }

    /// Handles the owner's end of the right.
    ///
    /// @return whether the number is free
    boolean onStatus(Message.PartStatus status) {
        if (endedByOwner) {
            throw new ProtocolViolationException("part " + number + " was ended twice");
        }
        endedByOwner = true;
        if (!givenUp) {
            source.onEndedByOwner(status);
        }
        return givenUp;
    }

    /// Gives the right up; no read is in flight, and none will be. Called once.
    ///
    /// @return whether the number is free
    boolean giveUp() {
        givenUp = true;
        channel.send(new Message.PartStatus(
                number, Message.Direction.TO_SENDER, StatusCode.ABORTED, "the reader no longer needs the part"));
        return endedByOwner;
    }

    int number() {
        return number;
    }
}
