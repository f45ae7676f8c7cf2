package io.tensorferry.verbs.device.software.shared;

import java.nio.ByteBuffer;

/// One end of a ring that two devices of a host share: the requester's or the responder's.
///
/// Threading: on the loop only.
public interface RingEnd {
    /// Fills the position of this side's memory files into a frame SHARED.
    ///
    /// @param frame 32 bytes, of which the first four are taken
    void putOffer(ByteBuffer frame);

    /// Has `action` run when this end cannot go on: the peer wrote nonsense, memory is gone, or a request was refused.
    void whenBroken(Runnable action);

    /// There is something new on this side: requests to put in, or a posted receive for a request that waits for one.
    void proceed();

    /// Takes what the peer put in before it ended. The queue pair may fail in this call.
    void takeLast();

    /// Ends this end: it touches no registered memory any more, and from here on the action for broken ends does not
    /// run.
    void end();
}
