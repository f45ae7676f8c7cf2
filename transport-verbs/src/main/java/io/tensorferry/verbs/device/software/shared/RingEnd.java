package io.tensorferry.verbs.device.software.shared;

import java.nio.ByteBuffer;

/// One end of a ring that two devices of a host share: the requester's or the responder's.
///
/// Threading: on the loop only.
public interface RingEnd {
    /// Writes the location of this side's memory files into a frame.
    ///
    /// @param frame 32 bytes, of which the first four are already written
    void putOffer(ByteBuffer frame);

    /// Sets the action to run when this end cannot continue: the peer wrote invalid data, memory is gone, or a request
    /// was refused.
    void whenBroken(Runnable action);

    /// Handles new work on this side: requests to put into the ring, or a posted receive for a waiting request.
    void proceed();

    /// Takes the entries that the peer put in before it ended. The queue pair may fail in this call.
    void takeLast();

    /// Closes this end. Afterwards it does not access registered memory, and the action of [#whenBroken] does not run.
    void end();
}
