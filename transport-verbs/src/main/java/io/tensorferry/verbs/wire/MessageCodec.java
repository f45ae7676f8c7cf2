package io.tensorferry.verbs.wire;

import io.tensorferry.api.Shape;
import io.tensorferry.api.TensorMetaData;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Encodes and decodes control messages: layout version 2, little-endian, a header of 64 bytes and a variable part, as
/// `docs/protocol.md` defines it.
///
/// Stateless; any thread. The caller must prevent concurrent writes to a target; a source may change while it is
/// decoded.
public final class MessageCodec {
    /// The longest message that the layout can express: a request with the largest rank and the longest name.
    public static final int MAX_MESSAGE_BYTES =
            MessageLayout.paddedLength(Shape.MAX_RANK, MessageLayout.MAX_NAME_BYTES, 0);

    /// The length of the shortest message, and therefore the smallest useful slot.
    public static final int MIN_MESSAGE_BYTES = MessageLayout.CONTENT_HEADER_BYTES;

    /// Length of a [Message.RepeatedRequest] in bytes.
    public static final int REPEATED_REQUEST_BYTES = MessageLayout.REPEATED_BYTES;

    /// Length of an [Message.EdgeCredit] in bytes.
    public static final int EDGE_CREDIT_BYTES = MessageLayout.CREDIT_BYTES;

    private MessageCodec() {}

    /// Encoded size of `message` in bytes, a multiple of 8. A [Message.ErrorStatus] longer than the room is truncated
    /// when encoded.
    ///
    /// @throws IllegalArgumentException if a request's key takes more than 65,535 bytes
    public static int encodedSize(Message message) {
        return MessageEncoder.encodedSize(message);
    }

    /// Writes a [Message.RepeatedRequest] to `target` at `offset`, without creating an object.
    ///
    /// @return the bytes written
    public static int encodeRepeatedRequest(
            MemorySegment target, long offset, long stepId, int requestIndex, int nameId, long address, int remoteKey) {
        return MessageEncoder.encodeRepeated(target, offset, stepId, requestIndex, nameId, address, remoteKey);
    }

    /// Encoded size of a [Message.TensorContent] with `contentBytes` bytes of content.
    public static int contentMessageBytes(int contentBytes) {
        return MessageLayout.paddedContent(contentBytes);
    }

    /// Encoded size of a [Message.MetaDataResponse] that includes the tensor's content; `Integer.MAX_VALUE` if the
    /// content is larger than any message.
    public static int announcedContentBytes(TensorMetaData metaData) {
        return metaData.byteSize() > MAX_MESSAGE_BYTES
                ? Integer.MAX_VALUE
                : MessageLayout.paddedLength(metaData.shape().rank(), (int) metaData.byteSize(), 0);
    }

    /// Writes a [Message.TensorContent] to `target` at `offset`, without creating an object.
    ///
    /// @return the bytes written, [#contentMessageBytes]
    public static int encodeContent(
            MemorySegment target, long offset, long stepId, int requestIndex, MemorySegment content) {
        return MessageEncoder.encodeContent(target, offset, stepId, requestIndex, content);
    }

    /// Writes a [Message.EdgeCredit] to `target` at `offset`, without creating an object.
    ///
    /// @return the bytes written
    public static int encodeEdgeCredit(MemorySegment target, long offset, int edge, long released) {
        return MessageEncoder.encodeCredit(target, offset, edge, released);
    }

    /// Marks the encoded message at `offset` of `slot` as followed by another in the same slot.
    public static void markFollowed(MemorySegment slot, long offset) {
        long at = offset + MessageLayout.TYPE;
        slot.set(MessageLayout.U8, at, (byte) (slot.get(MessageLayout.U8, at) | MessageLayout.MORE));
    }

    /// Whether a message with this key or name and this metadata is short enough for its receiver to store: a request
    /// that assigns a [NameId], an offer of an edge, a [Message.PartOpen].
    public static boolean mayName(String key, @Nullable TensorMetaData metaData) {
        int rank = metaData == null ? 0 : metaData.shape().rank();
        return MessageLayout.paddedLength(rank, Utf8.length(key, MessageLayout.MAX_NAMING_BYTES), 0)
                <= MessageLayout.MAX_NAMING_BYTES;
    }

    /// The longest status text, in bytes of UTF-8, that fits in `capacity` bytes. A longer text is truncated between
    /// two characters.
    public static int maxStatusBytes(long capacity) {
        return MessageEncoder.maxStatusBytes(capacity);
    }

    /// Writes `message` to the start of `target`: all its bytes, padding included, and none after it.
    ///
    /// @return the bytes written: `encodedSize(message)`, or less if a status text was truncated
    /// @throws IllegalArgumentException if the message does not fit in `target`; nothing was written
    public static int encode(Message message, MemorySegment target) {
        return MessageEncoder.encode(message, target);
    }

    /// Reads the message at the start of `source`, whose bytes are untrusted. Bytes after the message are ignored.
    ///
    /// The message is copied once, before any check, so that a peer that writes `source` concurrently cannot bypass a
    /// check.
    ///
    /// @param source native or heap memory of any size
    /// @throws MalformedMessageException if the bytes are not a valid message; no other exception is thrown
    public static Message decode(MemorySegment source) {
        return MessageDecoder.decode(source);
    }
}
