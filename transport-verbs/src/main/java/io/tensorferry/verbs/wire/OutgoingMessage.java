package io.tensorferry.verbs.wire;

import java.lang.foreign.MemorySegment;

/// What writes itself as a control message: a [Message], or the state of a transfer that need not make one.
///
/// Threading: the channel's loop calls it, and never after the message was sent or its channel lost.
public interface OutgoingMessage {
    /// Bytes that it takes where there is room enough, a multiple of 8: what [#encode] would write now.
    /// Another message that is encoded first can change it.
    ///
    /// @throws IllegalArgumentException if it cannot be expressed at all: its key is too long
    int encodedSize();

    /// Bytes that it takes at least: fewer than [#encodedSize()] where it has text that may be cut.
    default int shortestSize() {
        return encodedSize();
    }

    /// Writes every byte of it, padding included, to `target` from `offset` on, and none behind it.
    ///
    /// @param room bytes that it may take, at least [#shortestSize()]
    /// @return the bytes written: [#encodedSize()], or what is left of it in a smaller `room`
    int encode(MemorySegment target, long offset, int room);

    /// Whether it answers a request of the peer, which is to take it before it asks for more.
    default boolean isAnswer() {
        return false;
    }
}
