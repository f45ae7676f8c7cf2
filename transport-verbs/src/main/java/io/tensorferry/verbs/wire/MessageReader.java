package io.tensorferry.verbs.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Reads control messages one after the other: the one that comes for each transfer into fields of its own, without an
/// object, any other as a [Message].
///
/// What is read is copied once, before anything of it is checked: a peer that writes the source meanwhile cannot get
/// past a check. Owner: one thread; the fields are those of the last message.
public final class MessageReader {
    private final MemorySegment copy = MemorySegment.ofArray(new long[MessageLayout.REPEATED_BYTES / Long.BYTES]);

    public MessageReader() {}

    /// Whether there is a [Message.RepeatedRequest] at `offset` of `source`; then the fields of this are its.
    ///
    /// @param room bytes from `offset` on that may belong to it
    /// @throws MalformedMessageException if it is one, but not a valid one
    public boolean readRepeatedRequest(MemorySegment source, long offset, long room) {
        if (room < MessageLayout.REPEATED_BYTES) {
            return false;
        }
        MemorySegment.copy(
                source,
                ValueLayout.JAVA_LONG_UNALIGNED,
                offset,
                copy,
                ValueLayout.JAVA_LONG,
                0,
                MessageLayout.REPEATED_BYTES / Long.BYTES);
        if (copy.get(MessageLayout.U64, 0) != MessageEncoder.REPEATED_PREAMBLE) {
            // Whatever it is, the decoder says so, and what is wrong with it.
            return false;
        }
        if (!RequestIndex.isValid(requestIndex())
                || !NameId.isValid(nameId())
                || copy.get(MessageLayout.U32, MessageLayout.REPEATED_RESERVED) != 0) {
            // Says the same, in words.
            MessageDecoder.decode(copy);
            throw new IllegalStateException("a message is valid for one reader and not for the other");
        }
        return true;
    }

    /// The message at `offset` of `source`, whatever bytes are there.
    ///
    /// @throws MalformedMessageException if the bytes are not a valid message; no other exception is thrown
    public Message read(MemorySegment source, long offset, long room) {
        return MessageDecoder.decode(source.asSlice(offset, room));
    }

    public long stepId() {
        return copy.get(MessageLayout.U64, MessageLayout.STEP_ID);
    }

    public int requestIndex() {
        return copy.get(MessageLayout.U32, MessageLayout.REQUEST_INDEX);
    }

    public int nameId() {
        return copy.get(MessageLayout.U32, MessageLayout.REPEATED_NAME_ID);
    }

    public long address() {
        return copy.get(MessageLayout.U64, MessageLayout.REMOTE_ADDRESS);
    }

    public int remoteKey() {
        return copy.get(MessageLayout.U32, MessageLayout.REMOTE_KEY);
    }
}
