package io.tensorferry.verbs.wire;

import io.tensorferry.api.Shape;
import io.tensorferry.api.TensorMetaData;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Control messages to bytes and back: layout version 2, little-endian, a header of 64 bytes and a variable part,
/// as `docs/protocol.md` defines it.
///
/// Stateless; any thread. The caller sees to it that nobody else writes the target meanwhile; a source may change
/// while it is decoded.
public final class MessageCodec {
    /// The longest message that the layout can express: a request with the largest rank and the longest name.
    public static final int MAX_MESSAGE_BYTES =
            MessageLayout.paddedLength(Shape.MAX_RANK, MessageLayout.MAX_NAME_BYTES, 0);

    /// The shortest message, and so the smallest slot that makes sense.
    public static final int MIN_MESSAGE_BYTES = MessageLayout.CONTENT_HEADER_BYTES;

    /// Bytes of a [Message.RepeatedRequest].
    public static final int REPEATED_REQUEST_BYTES = MessageLayout.REPEATED_BYTES;

    /// Bytes of a [Message.EdgeCredit].
    public static final int EDGE_CREDIT_BYTES = MessageLayout.CREDIT_BYTES;

    private MessageCodec() {}

    /// Bytes that `message` takes, a multiple of 8. A longer [Message.ErrorStatus] is cut to what fits when it is
    /// encoded.
    ///
    /// @throws IllegalArgumentException if a request's key takes more than 65,535 bytes
    public static int encodedSize(Message message) {
        return MessageEncoder.encodedSize(message);
    }

    /// Writes what a [Message.RepeatedRequest] says to `target` from `offset` on, without making one.
    ///
    /// @return the bytes written
    public static int encodeRepeatedRequest(
            MemorySegment target, long offset, long stepId, int requestIndex, int nameId, long address, int remoteKey) {
        return MessageEncoder.encodeRepeated(target, offset, stepId, requestIndex, nameId, address, remoteKey);
    }

    /// Bytes of a [Message.TensorContent] of so many bytes.
    public static int contentMessageBytes(int contentBytes) {
        return MessageLayout.paddedContent(contentBytes);
    }

    /// Bytes of a [Message.MetaDataResponse] with the content of a tensor; more than an `int` holds count as its
    /// largest value.
    public static int announcedContentBytes(TensorMetaData metaData) {
        return metaData.byteSize() > MAX_MESSAGE_BYTES
                ? Integer.MAX_VALUE
                : MessageLayout.paddedLength(metaData.shape().rank(), (int) metaData.byteSize(), 0);
    }

    /// Writes what a [Message.TensorContent] says to `target` from `offset` on, without making one.
    ///
    /// @return the bytes written, [#contentMessageBytes]
    public static int encodeContent(
            MemorySegment target, long offset, long stepId, int requestIndex, MemorySegment content) {
        return MessageEncoder.encodeContent(target, offset, stepId, requestIndex, content);
    }

    /// Writes what a [Message.EdgeCredit] says to `target` from `offset` on, without making one.
    ///
    /// @return the bytes written
    public static int encodeEdgeCredit(MemorySegment target, long offset, int edge, long released) {
        return MessageEncoder.encodeCredit(target, offset, edge, released);
    }

    /// Marks the message at `offset` of `slot`, which was encoded before, as one behind which another follows in the
    /// same slot.
    public static void markFollowed(MemorySegment slot, long offset) {
        long at = offset + MessageLayout.TYPE;
        slot.set(MessageLayout.U8, at, (byte) (slot.get(MessageLayout.U8, at) | MessageLayout.MORE));
    }

    /// Whether a message with this key or name and this metadata is short enough for what its receiver keeps: for a
    /// request that gives its key a [NameId], for an offer of an edge, for a [Message.PartOpen].
    public static boolean mayName(String key, @Nullable TensorMetaData metaData) {
        int rank = metaData == null ? 0 : metaData.shape().rank();
        return MessageLayout.paddedLength(rank, Utf8.length(key, MessageLayout.MAX_NAMING_BYTES), 0)
                <= MessageLayout.MAX_NAMING_BYTES;
    }

    /// The longest status message, in bytes of UTF-8, that fits in `capacity` bytes; what is longer is cut between
    /// two characters.
    public static int maxStatusBytes(long capacity) {
        return MessageEncoder.maxStatusBytes(capacity);
    }

    /// Writes `message` to the start of `target`: every byte of it, padding included, and none after it.
    ///
    /// @return the bytes written, `encodedSize(message)` or less where a status message was cut
    /// @throws IllegalArgumentException if the message does not fit in `target`; nothing was written
    public static int encode(Message message, MemorySegment target) {
        return MessageEncoder.encode(message, target);
    }

    /// Reads the message at the start of `source`, whatever bytes are there; bytes after the message are not looked
    /// at.
    ///
    /// The message is copied once, before anything is checked, so that a peer that writes `source` meanwhile cannot
    /// get past a check.
    ///
    /// @param source native or heap memory of any size
    /// @throws MalformedMessageException if the bytes are not a valid message; no other exception is thrown
    public static Message decode(MemorySegment source) {
        return MessageDecoder.decode(source);
    }
}
