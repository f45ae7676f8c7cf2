package io.tensorferry.verbs.wire;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Message.Direction;
import io.tensorferry.verbs.wire.Message.EdgeCredit;
import io.tensorferry.verbs.wire.Message.EdgeOffer;
import io.tensorferry.verbs.wire.Message.EdgeStatus;
import io.tensorferry.verbs.wire.Message.ErrorStatus;
import io.tensorferry.verbs.wire.Message.Heartbeat;
import io.tensorferry.verbs.wire.Message.MetaDataResponse;
import io.tensorferry.verbs.wire.Message.RepeatedRequest;
import io.tensorferry.verbs.wire.Message.Resumed;
import io.tensorferry.verbs.wire.Message.TensorContent;
import io.tensorferry.verbs.wire.Message.TensorReRequest;
import io.tensorferry.verbs.wire.Message.TensorRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Bytes of a peer to a message: one object per message, over a private copy of its bytes.
final class MessageDecoder {
    private static final int FLAGS_OF_META_DATA = MessageLayout.FLAG_META_DATA | MessageLayout.FLAG_DEAD;

    private final byte[] bytes;
    private final MemorySegment message;
    private final int type;
    // 0 in a short message, which has none of them.
    private final int rank;
    private final int nameBytes;
    private final int statusBytes;
    private final int flags;
    private final int contentBytes;

    private MessageDecoder(byte[] bytes) {
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
                    "length", "" + bytes.length, "a message of type " + type + " has at least 64");
        }
        this.rank = u8(MessageLayout.RANK);
        this.nameBytes = message.get(MessageLayout.U16, MessageLayout.NAME_SIZE) & 0xFFFF;
        this.statusBytes = i32(MessageLayout.STATUS_SIZE);
        this.flags = u8(MessageLayout.FLAGS);
        this.contentBytes = type == MessageLayout.TYPE_META_DATA_RESPONSE && has(MessageLayout.FLAG_CONTENT)
                ? contentBytes("tensor_bytes", i64(MessageLayout.TENSOR_BYTES))
                : 0;
    }

    /// Whether it is of a type that has no header of 64 bytes.
    private boolean isShort() {
        return type == MessageLayout.TYPE_REPEATED_REQUEST
                || type == MessageLayout.TYPE_TENSOR_CONTENT
                || type == MessageLayout.TYPE_EDGE_CREDIT;
    }

    private int contentBytes(String field, long claimed) {
        if (claimed < 0 || claimed > bytes.length) {
            throw new MalformedMessageException(
                    field, Long.toUnsignedString(claimed), "the message has " + bytes.length + " bytes");
        }
        return (int) claimed;
    }

    static Message decode(MemorySegment source) {
        return new MessageDecoder(copy(source)).decode();
    }

    /// The length is read once, checked, and then nothing of `source` is looked at but this copy.
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

    private Message decode() {
        checkPreamble();
        checkLength();
        long stepId = i64(MessageLayout.STEP_ID);
        int requestIndex = i32(MessageLayout.REQUEST_INDEX);
        if (!RequestIndex.isValid(requestIndex)) {
            throw new MalformedMessageException(
                    "request_index", "0x%08x".formatted(requestIndex), "the generation 4095 is not in use");
        }
        try {
            return switch (type) {
                case MessageLayout.TYPE_META_DATA_RESPONSE -> metaDataResponse(stepId, requestIndex);
                case MessageLayout.TYPE_TENSOR_RE_REQUEST -> tensorReRequest(stepId, requestIndex);
                case MessageLayout.TYPE_TENSOR_REQUEST -> tensorRequest(stepId, requestIndex);
                case MessageLayout.TYPE_ERROR_STATUS -> errorStatus(stepId, requestIndex);
                case MessageLayout.TYPE_HEARTBEAT -> bare(new Heartbeat(), stepId, requestIndex);
                case MessageLayout.TYPE_RESUMED -> bare(new Resumed(), stepId, requestIndex);
                case MessageLayout.TYPE_REPEATED_REQUEST -> repeatedRequest(stepId, requestIndex);
                case MessageLayout.TYPE_TENSOR_CONTENT ->
                    new TensorContent(stepId, requestIndex, content(MessageLayout.CONTENT_HEADER_BYTES));
                case MessageLayout.TYPE_EDGE_OFFER -> edgeOffer(stepId, requestIndex);
                case MessageLayout.TYPE_EDGE_STATUS -> edgeStatus(stepId, requestIndex);
                case MessageLayout.TYPE_EDGE_CREDIT -> edgeCredit(stepId, requestIndex);
                default -> throw new MalformedMessageException("type", "" + type, "it must be 0 to 10");
            };
        } catch (IllegalArgumentException e) {
            // A rule between the fields that the message, the metadata or the shape checks for its local callers too.
            throw new MalformedMessageException("the content", "contradictory", String.valueOf(e.getMessage()), e);
        }
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
            case MessageLayout.TYPE_TENSOR_CONTENT -> MessageLayout.paddedContent(contentBytes);
            default -> MessageLayout.paddedLength(rank, nameBytes + contentBytes, statusBytes);
        };
        // Of the copy: between the two looks at the source the field may have changed.
        int length = i32(MessageLayout.LENGTH);
        if (length != bytes.length || length != needed) {
            throw new MalformedMessageException(
                    "length", Integer.toUnsignedString(length), "the sizes of its parts make it " + needed);
        }
        int end = switch (type) {
            case MessageLayout.TYPE_REPEATED_REQUEST -> MessageLayout.REPEATED_BYTES;
            case MessageLayout.TYPE_EDGE_CREDIT -> MessageLayout.CREDIT_BYTES;
            case MessageLayout.TYPE_TENSOR_CONTENT -> MessageLayout.CONTENT_HEADER_BYTES + contentBytes;
            default -> nameOffset() + nameBytes + statusBytes + contentBytes;
        };
        for (int i = end; i < bytes.length; i++) {
            if (bytes[i] != 0) {
                throw new MalformedMessageException("the padding at " + i, "" + bytes[i], "it must be zero");
            }
        }
    }

    private TensorRequest tensorRequest(long stepId, int requestIndex) {
        allowFlags(FLAGS_OF_META_DATA | MessageLayout.FLAG_WANTS_CHECKSUM | MessageLayout.FLAG_REPLAY);
        refuse("checksum", i32(MessageLayout.CHECKSUM));
        refuseStatus();
        if (nameBytes == 0) {
            throw new MalformedMessageException("name_size", "0", "a request names a key");
        }
        TensorMetaData metaData = metaData();
        String key = text("name", nameOffset(), nameBytes);
        return new TensorRequest(
                stepId,
                requestIndex,
                i32(MessageLayout.NAME_ID),
                key,
                metaData,
                address(),
                remoteKey(),
                has(MessageLayout.FLAG_WANTS_CHECKSUM),
                has(MessageLayout.FLAG_REPLAY));
    }

    private RepeatedRequest repeatedRequest(long stepId, int requestIndex) {
        refuse("the reserved field", i32(MessageLayout.REPEATED_RESERVED));
        return new RepeatedRequest(stepId, requestIndex, i32(MessageLayout.REPEATED_NAME_ID), address(), remoteKey());
    }

    private MetaDataResponse metaDataResponse(long stepId, int requestIndex) {
        allowFlags(FLAGS_OF_META_DATA | MessageLayout.FLAG_CHECKSUM | MessageLayout.FLAG_CONTENT);
        refuseDestination();
        refuseName();
        refuseStatus();
        refuse("name_id", i32(MessageLayout.NAME_ID));
        OptionalLong checksum = OptionalLong.empty();
        if (has(MessageLayout.FLAG_CHECKSUM)) {
            checksum = OptionalLong.of(Integer.toUnsignedLong(i32(MessageLayout.CHECKSUM)));
        } else {
            refuseChecksum();
        }
        ByteBuffer content = has(MessageLayout.FLAG_CONTENT) ? content(nameOffset()) : null;
        return new MetaDataResponse(stepId, requestIndex, requiredMetaData(), checksum, content);
    }

    private TensorReRequest tensorReRequest(long stepId, int requestIndex) {
        allowFlags(FLAGS_OF_META_DATA);
        refuseChecksum();
        refuseName();
        refuseStatus();
        return new TensorReRequest(stepId, requestIndex, requiredMetaData(), address(), remoteKey());
    }

    private ErrorStatus errorStatus(long stepId, int requestIndex) {
        refuseAllButStatus();
        int code = i32(MessageLayout.STATUS_CODE);
        if (code == StatusCode.OK.number()) {
            throw new MalformedMessageException("status_code", "0", "an error status is not OK");
        }
        return new ErrorStatus(stepId, requestIndex, direction(), StatusCode.ofNumber(code), statusText());
    }

    private EdgeStatus edgeStatus(long count, int edge) {
        refuseAllButStatus();
        StatusCode code = StatusCode.ofNumber(i32(MessageLayout.STATUS_CODE));
        return new EdgeStatus(edge, count, direction(), code, statusText());
    }

    private void refuseAllButStatus() {
        allowFlags(MessageLayout.FLAG_TO_SENDER);
        refuseMetaData();
        refuseDestination();
        refuseChecksum();
        refuseName();
    }

    private Direction direction() {
        return has(MessageLayout.FLAG_TO_SENDER) ? Direction.TO_SENDER : Direction.TO_RECEIVER;
    }

    private String statusText() {
        return text("the status message", nameOffset(), statusBytes);
    }

    private EdgeOffer edgeOffer(long received, int edge) {
        allowFlags(FLAGS_OF_META_DATA
                | MessageLayout.FLAG_TWO_PLACES
                | MessageLayout.FLAG_CREDIT
                | MessageLayout.FLAG_REPLAY);
        refuse("name_id", i32(MessageLayout.NAME_ID));
        refuseStatus();
        return new EdgeOffer(
                edge,
                text("name", nameOffset(), nameBytes),
                requiredMetaData(),
                has(MessageLayout.FLAG_TWO_PLACES) ? 2 : 1,
                has(MessageLayout.FLAG_CREDIT),
                has(MessageLayout.FLAG_REPLAY),
                received,
                i32(MessageLayout.EDGE_UNRELEASED),
                address(),
                remoteKey());
    }

    private EdgeCredit edgeCredit(long released, int edge) {
        refuse("the reserved field", i32(MessageLayout.CREDIT_RESERVED));
        return new EdgeCredit(edge, released);
    }

    /// A message that is about no request carries nothing but its type.
    private Message bare(Message message, long stepId, int requestIndex) {
        allowFlags(0);
        refuse("step_id", stepId);
        refuse("request_index", requestIndex);
        refuseMetaData();
        refuseDestination();
        refuseChecksum();
        refuseName();
        refuseStatus();
        return message;
    }

    private TensorMetaData requiredMetaData() {
        TensorMetaData metaData = metaData();
        if (metaData == null) {
            throw new MalformedMessageException("flags", hex(flags), "a message of this type has metadata");
        }
        return metaData;
    }

    private @Nullable TensorMetaData metaData() {
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

    private void refuseMetaData() {
        refuse("rank", rank);
        refuse("data_type", i32(MessageLayout.DATA_TYPE));
        refuse("tensor_bytes", i64(MessageLayout.TENSOR_BYTES));
    }

    private void refuseDestination() {
        refuse("rkey", remoteKey());
        refuse("remote_addr", address());
    }

    private void refuseChecksum() {
        refuse("checksum", i64(MessageLayout.CHECKSUM));
    }

    private void refuseName() {
        refuse("name_size", nameBytes);
    }

    private void refuseStatus() {
        refuse("status_code", i32(MessageLayout.STATUS_CODE));
        refuse("status_size", statusBytes);
    }

    private static void refuse(String field, long value) {
        if (value != 0) {
            throw new MalformedMessageException(field, hex(value), "it must be 0 in a message that does not use it");
        }
    }

    private void allowFlags(int allowed) {
        if ((flags & ~allowed) != 0) {
            throw new MalformedMessageException(
                    "flags", hex(flags), "a message of this type may have " + hex(allowed) + " only");
        }
    }

    private ByteBuffer content(int offset) {
        return ByteBuffer.wrap(bytes, offset, contentBytes).slice().asReadOnlyBuffer();
    }

    private String text(String field, int offset, int length) {
        try {
            return Utf8.read(bytes, offset, length);
        } catch (CharacterCodingException e) {
            throw new MalformedMessageException(field, "no UTF-8", String.valueOf(e.getMessage()), e);
        }
    }

    private int nameOffset() {
        return MessageLayout.HEADER_BYTES + rank * Long.BYTES;
    }

    private boolean has(int flag) {
        return (flags & flag) != 0;
    }

    private long address() {
        return i64(MessageLayout.REMOTE_ADDRESS);
    }

    private int remoteKey() {
        return i32(MessageLayout.REMOTE_KEY);
    }

    private int u8(int offset) {
        return bytes[offset] & 0xFF;
    }

    private int i32(int offset) {
        return message.get(MessageLayout.U32, offset);
    }

    private long i64(int offset) {
        return message.get(MessageLayout.U64, offset);
    }

    private static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }
}
