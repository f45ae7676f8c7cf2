package io.tensorferry.verbs.wire;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Message.Direction;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import org.jspecify.annotations.Nullable;

/// The fields of one message of a peer, over a private copy of its bytes. The factory checks the version and that the
/// length equals the sum of the parts. Rules specific to a type are checked by separate methods.
final class MessageFields {
    private final byte[] bytes;
    private final MemorySegment message;
    private final int type;
    // 0 in a short message, which has none of these fields.
    private final int rank;
    private final int nameBytes;
    private final int statusBytes;
    private final int flags;
    private final int contentBytes;

    private MessageFields(byte[] bytes) {
        this.bytes = bytes;
        this.message = MemorySegment.ofArray(bytes);
        this.type = u8(MessageLayout.TYPE);
        if (isShort()) {
            this.rank = 0;
            this.nameBytes = 0;
            this.statusBytes = 0;
            this.flags = 0;
            this.contentBytes = type == MessageLayout.TYPE_TENSOR_CONTENT
                    ? contentBytes("content_size", Integer.toUnsignedLong(i32(MessageLayout.CONTENT_SIZE)))
                    : 0;
            return;
        }
        if (bytes.length < MessageLayout.HEADER_BYTES) {
            throw new MalformedMessageException(
                    "length", "" + bytes.length, "a message of type " + type + " has at least 64 bytes");
        }
        this.rank = u8(MessageLayout.RANK);
        this.nameBytes = message.get(MessageLayout.U16, MessageLayout.NAME_SIZE) & 0xFFFF;
        this.statusBytes = i32(MessageLayout.STATUS_SIZE);
        this.flags = u8(MessageLayout.FLAGS);
        this.contentBytes = type == MessageLayout.TYPE_META_DATA_RESPONSE && has(MessageLayout.FLAG_CONTENT)
                ? contentBytes("tensor_bytes", i64(MessageLayout.TENSOR_BYTES))
                : 0;
    }

    /// Whether the message has a type without the header of 64 bytes.
    private boolean isShort() {
        return type == MessageLayout.TYPE_REPEATED_REQUEST
                || type == MessageLayout.TYPE_TENSOR_CONTENT
                || type == MessageLayout.TYPE_EDGE_CREDIT
                || type == MessageLayout.TYPE_TENSOR_PIECE;
    }

    private int contentBytes(String field, long claimed) {
        if (claimed < 0 || claimed > bytes.length) {
            throw new MalformedMessageException(
                    field, Long.toUnsignedString(claimed), "the message has " + bytes.length + " bytes");
        }
        return (int) claimed;
    }

    /// Copies the message at the start of `source`.
    ///
    /// @throws MalformedMessageException if its length does not match its parts
    static MessageFields of(MemorySegment source) {
        var fields = new MessageFields(copy(source));
        fields.checkPreamble();
        fields.checkLength();
        return fields;
    }

    /// Reads and checks the length once. After that, only this copy is read, never `source`.
    private static byte[] copy(MemorySegment source) {
        if (source.byteSize() < MessageCodec.MIN_MESSAGE_BYTES) {
            throw new MalformedMessageException(
                    "the source",
                    source.byteSize() + " bytes long",
                    "a message has at least " + MessageCodec.MIN_MESSAGE_BYTES);
        }
        int length = source.get(MessageLayout.U32, MessageLayout.LENGTH);
        long limit = Math.min(source.byteSize(), MessageCodec.MAX_MESSAGE_BYTES);
        if (length < MessageCodec.MIN_MESSAGE_BYTES || length > limit || length % MessageLayout.ALIGNMENT != 0) {
            throw new MalformedMessageException(
                    "length",
                    Integer.toUnsignedString(length),
                    "it must be a multiple of 8 in [" + MessageCodec.MIN_MESSAGE_BYTES + ", " + limit + "]");
        }
        var bytes = new byte[length];
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, 0, bytes, 0, length);
        return bytes;
    }

    private void checkPreamble() {
        int magic = message.get(MessageLayout.U16, MessageLayout.MAGIC) & 0xFFFF;
        if (magic != MessageLayout.MAGIC_VALUE) {
            throw new MalformedMessageException("magic", "0x%04x".formatted(magic), "it must be 0x4654");
        }
        if (u8(MessageLayout.VERSION) != MessageLayout.VERSION_VALUE) {
            throw new MalformedMessageException(
                    "version",
                    "" + u8(MessageLayout.VERSION),
                    "this end speaks version " + MessageLayout.VERSION_VALUE);
        }
    }

    private void checkLength() {
        if (rank > Shape.MAX_RANK) {
            throw new MalformedMessageException("rank", "" + rank, "it must be at most " + Shape.MAX_RANK);
        }
        if (statusBytes < 0 || statusBytes > MessageLayout.MAX_STATUS_BYTES) {
            throw new MalformedMessageException(
                    "status_size",
                    Integer.toUnsignedString(statusBytes),
                    "it must be at most " + MessageLayout.MAX_STATUS_BYTES);
        }
        int needed = switch (type) {
            case MessageLayout.TYPE_REPEATED_REQUEST -> MessageLayout.REPEATED_BYTES;
            case MessageLayout.TYPE_EDGE_CREDIT -> MessageLayout.CREDIT_BYTES;
            case MessageLayout.TYPE_TENSOR_PIECE -> MessageLayout.PIECE_BYTES;
            case MessageLayout.TYPE_TENSOR_CONTENT -> MessageLayout.paddedContent(contentBytes);
            default -> MessageLayout.paddedLength(rank, nameBytes + contentBytes, statusBytes);
        };
        // Read from the copy: the field may have changed between the two reads of the source.
        int length = i32(MessageLayout.LENGTH);
        if (length != bytes.length || length != needed) {
            throw new MalformedMessageException(
                    "length", Integer.toUnsignedString(length), "the sizes of its parts make it " + needed);
        }
        int end = switch (type) {
            case MessageLayout.TYPE_REPEATED_REQUEST -> MessageLayout.REPEATED_BYTES;
            case MessageLayout.TYPE_EDGE_CREDIT -> MessageLayout.CREDIT_BYTES;
            case MessageLayout.TYPE_TENSOR_PIECE -> MessageLayout.PIECE_BYTES;
            case MessageLayout.TYPE_TENSOR_CONTENT -> MessageLayout.CONTENT_HEADER_BYTES + contentBytes;
            default -> behindDimensions() + nameBytes + statusBytes + contentBytes;
        };
        for (int i = end; i < bytes.length; i++) {
            if (bytes[i] != 0) {
                throw new MalformedMessageException("the padding at " + i, "" + bytes[i], "it must be zero");
            }
        }
    }

    int type() {
        return type;
    }

    TensorMetaData requiredMetaData() {
        TensorMetaData metaData = metaData();
        if (metaData == null) {
            throw new MalformedMessageException("flags", hex(flags), "a message of this type must have metadata");
        }
        return metaData;
    }

    @Nullable
    TensorMetaData metaData() {
        if (!has(MessageLayout.FLAG_META_DATA)) {
            if (has(MessageLayout.FLAG_DEAD)) {
                throw new MalformedMessageException("flags", hex(flags), "is_dead needs metadata");
            }
            refuseMetaData();
            return null;
        }
        var dimensions = new long[rank];
        for (int axis = 0; axis < rank; axis++) {
            dimensions[axis] = i64(MessageLayout.HEADER_BYTES + axis * Long.BYTES);
        }
        DataType dataType = DataType.ofNumber(i32(MessageLayout.DATA_TYPE));
        boolean dead = has(MessageLayout.FLAG_DEAD);
        return new TensorMetaData(dataType, Shape.of(dimensions), dead, i64(MessageLayout.TENSOR_BYTES));
    }

    void refuseAllButStatus() {
        allowFlags(MessageLayout.FLAG_TO_SENDER);
        refuseMetaData();
        refuseDestination();
        refuseChecksum();
        refuseName();
    }

    void refuseMetaData() {
        refuseType();
        refuse("tensor_bytes", i64(MessageLayout.TENSOR_BYTES));
    }

    /// For a message with `tensor_bytes` but no other metadata.
    void refuseType() {
        refuse("rank", rank);
        refuse("data_type", i32(MessageLayout.DATA_TYPE));
    }

    void refuseDestination() {
        refuse("rkey", remoteKey());
        refuse("remote_addr", address());
    }

    /// Also refuses a name id, which follows the checksum.
    void refuseChecksum() {
        refuse("checksum", i64(MessageLayout.CHECKSUM));
    }

    void refuseNameId() {
        refuse("name_id", i32(MessageLayout.NAME_ID));
    }

    void refuseName() {
        refuse("name_size", nameBytes);
    }

    void refuseStatus() {
        refuse("status_code", i32(MessageLayout.STATUS_CODE));
        refuse("status_size", statusBytes);
    }

    static void refuse(String field, long value) {
        if (value != 0) {
            throw new MalformedMessageException(field, hex(value), "it must be 0 in a message that does not use it");
        }
    }

    void allowFlags(int allowed) {
        if ((flags & ~allowed) != 0) {
            throw new MalformedMessageException(
                    "flags", hex(flags), "a message of this type may have " + hex(allowed) + " only");
        }
    }

    /// Offset of the name, the content or the text.
    int behindDimensions() {
        return MessageLayout.HEADER_BYTES + rank * Long.BYTES;
    }

    ByteBuffer content(int offset) {
        return ByteBuffer.wrap(bytes, offset, contentBytes).slice().asReadOnlyBuffer();
    }

    /// 0 if the message has no name.
    int nameBytes() {
        return nameBytes;
    }

    String name() {
        return text("name", behindDimensions(), nameBytes);
    }

    Direction direction() {
        return has(MessageLayout.FLAG_TO_SENDER) ? Direction.TO_SENDER : Direction.TO_RECEIVER;
    }

    StatusCode statusCode() {
        return StatusCode.ofNumber(i32(MessageLayout.STATUS_CODE));
    }

    /// The code of a status that must not be OK.
    StatusCode failureCode() {
        StatusCode code = statusCode();
        if (code == StatusCode.OK) {
            throw new MalformedMessageException("status_code", "0", "a status of this type must not be OK");
        }
        return code;
    }

    String statusText() {
        return text("the status message", behindDimensions(), statusBytes);
    }

    private String text(String field, int offset, int length) {
        try {
            return Utf8.read(bytes, offset, length);
        } catch (CharacterCodingException e) {
            throw new MalformedMessageException(field, "no UTF-8", String.valueOf(e.getMessage()), e);
        }
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    long address() {
        return i64(MessageLayout.REMOTE_ADDRESS);
    }

    int remoteKey() {
        return i32(MessageLayout.REMOTE_KEY);
    }

    private int u8(int offset) {
        return bytes[offset] & 0xFF;
    }

    int i32(int offset) {
        return message.get(MessageLayout.U32, offset);
    }

    long i64(int offset) {
        return message.get(MessageLayout.U64, offset);
    }

    private static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }
}
