package io.tensorferry.verbs.wire;

import java.lang.foreign.MemorySegment;

/// An object that encodes itself as a control message: a [Message], or the state of a transfer that needs no message
/// object.
///
/// Threading: called on the channel's loop, and never after the message was sent or its channel lost.
public interface OutgoingMessage {
    /// The untruncated size in bytes, a multiple of 8, that [#encode] would write now. Encoding another message first
    /// can change it.
    ///
    /// @throws IllegalArgumentException if the message cannot be encoded because its key is too long
    int encodedSize();

    /// The smallest size in bytes: less than [#encodedSize()] if the message has text that may be truncated.
    default int shortestSize() {
        return encodedSize();
    }

    /// Writes all its bytes, padding included, to `target` at `offset`, and none after it.
    ///
    /// @param room bytes available, at least [#shortestSize()]
    /// @return the bytes written: [#encodedSize()], or less if the text was truncated to `room`
    int encode(MemorySegment target, long offset, int room);

    /// Whether this answers a request of the peer, which must take the answer before it sends more requests.
    default boolean isAnswer() {
        return false;
    }
}
