package io.tensorferry.verbs.wire;

import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Message.Direction;
import io.tensorferry.verbs.wire.Message.DynamicOffer;
import io.tensorferry.verbs.wire.Message.EdgeCredit;
import io.tensorferry.verbs.wire.Message.EdgeOffer;
import io.tensorferry.verbs.wire.Message.EdgeStatus;
import io.tensorferry.verbs.wire.Message.EdgeTensor;
import io.tensorferry.verbs.wire.Message.ErrorStatus;
import io.tensorferry.verbs.wire.Message.Heartbeat;
import io.tensorferry.verbs.wire.Message.MetaDataResponse;
import io.tensorferry.verbs.wire.Message.PartGrant;
import io.tensorferry.verbs.wire.Message.PartOpen;
import io.tensorferry.verbs.wire.Message.PartStatus;
import io.tensorferry.verbs.wire.Message.RepeatedRequest;
import io.tensorferry.verbs.wire.Message.Resumed;
import io.tensorferry.verbs.wire.Message.TensorContent;
import io.tensorferry.verbs.wire.Message.TensorPiece;
import io.tensorferry.verbs.wire.Message.TensorReRequest;
import io.tensorferry.verbs.wire.Message.TensorRequest;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Encodes messages without allocation.
final class MessageEncoder {
    // Magic, version, type and length of a repeated request as one number.
    static final long REPEATED_PREAMBLE = MessageLayout.MAGIC_VALUE
            | MessageLayout.VERSION_VALUE << 16
            | MessageLayout.TYPE_REPEATED_REQUEST << 24
            | (long) MessageLayout.REPEATED_BYTES << 32;
    // Magic, version and type of a tensor content as one number.
    static final int CONTENT_PREAMBLE =
            MessageLayout.MAGIC_VALUE | MessageLayout.VERSION_VALUE << 16 | MessageLayout.TYPE_TENSOR_CONTENT << 24;

    // Magic, version, type and length of an edge credit as one number.
    static final long CREDIT_PREAMBLE = MessageLayout.MAGIC_VALUE
            | MessageLayout.VERSION_VALUE << 16
            | MessageLayout.TYPE_EDGE_CREDIT << 24
            | (long) MessageLayout.CREDIT_BYTES << 32;

    private MessageEncoder() {}

    static int encodedSize(Message message) {
        return switch (message) {
            case TensorRequest request ->
                MessageLayout.paddedLength(rank(request.metaData()), nameBytes(request.key()), 0);
            case MetaDataResponse response -> responseBytes(response);
            case TensorContent tensor ->
                MessageLayout.paddedContent(tensor.content().remaining());
            case TensorReRequest request -> MessageLayout.paddedLength(rank(request.metaData()), 0, 0);
            case ErrorStatus status -> statusMessageBytes(status.message());
            case EdgeOffer offer -> MessageLayout.paddedLength(rank(offer.metaData()), nameBytes(offer.key()), 0);
            case DynamicOffer offer -> MessageLayout.paddedLength(0, nameBytes(offer.key()), 0);
            case EdgeTensor tensor -> MessageLayout.paddedLength(rank(tensor.metaData()), 0, 0);
            case EdgeStatus status -> statusMessageBytes(status.message());
            case EdgeCredit _ -> MessageLayout.CREDIT_BYTES;
            case PartOpen open -> MessageLayout.paddedLength(rank(open.metaData()), nameBytes(open.name()), 0);
            case PartStatus status -> statusMessageBytes(status.message());
            case RepeatedRequest _ -> MessageLayout.REPEATED_BYTES;
            case TensorPiece _ -> MessageLayout.PIECE_BYTES;
            case Heartbeat _, Resumed _, PartGrant _ -> MessageLayout.HEADER_BYTES;
        };
    }

    private static int statusMessageBytes(String text) {
        return MessageLayout.paddedLength(0, 0, Utf8.length(text, MessageLayout.MAX_STATUS_BYTES));
    }

    static int maxStatusBytes(long capacity) {
        long room = capacity / MessageLayout.ALIGNMENT * MessageLayout.ALIGNMENT - MessageLayout.HEADER_BYTES;
        return (int) Math.clamp(room, 0, (long) MessageLayout.MAX_STATUS_BYTES);
    }

    static int encode(Message message, MemorySegment target) {
        return switch (message) {
            case TensorRequest request -> encodeRequest(request, target);
            case MetaDataResponse response -> encodeResponse(response, target);
            case TensorReRequest request -> encodeReRequest(request, target);
            case ErrorStatus status -> encodeStatus(status, target);
            case RepeatedRequest request -> encodeRepeated(request, target);
            case TensorPiece piece -> encodePiece(piece, target);
            case TensorContent tensor -> encodeContent(tensor, target);
            case EdgeOffer offer -> encodeOffer(offer, target);
            case DynamicOffer offer -> encodeDynamicOffer(offer, target);
            case EdgeTensor tensor -> encodeEdgeTensor(tensor, target);
            case EdgeStatus status -> encodeEdgeStatus(status, target);
            case EdgeCredit credit -> encodeCredit(credit, target);
            case PartOpen open -> encodePartOpen(open, target);
            case PartGrant grant -> encodePartGrant(grant, target);
            case PartStatus status -> encodePartStatus(status, target);
            case Heartbeat _ -> encodeBare(MessageLayout.TYPE_HEARTBEAT, target);
            case Resumed _ -> encodeBare(MessageLayout.TYPE_RESUMED, target);
        };
    }

    private static int encodeRequest(TensorRequest request, MemorySegment target) {
        int nameBytes = nameBytes(request.key());
        int rank = rank(request.metaData());
        int length = MessageLayout.paddedLength(rank, nameBytes, 0);
        begin(request, MessageLayout.TYPE_TENSOR_REQUEST, length, target);
        int flags = (request.wantsChecksum() ? MessageLayout.FLAG_WANTS_CHECKSUM : 0)
                | (request.replay() ? MessageLayout.FLAG_REPLAY : 0);
        putMetaData(request.metaData(), flags, target);
        putDestination(request.address(), request.remoteKey(), target);
        target.set(MessageLayout.U32, MessageLayout.NAME_ID, request.nameId());
        putName(request.key(), nameBytes, rank, target);
        return length;
    }

    private static int encodeResponse(MetaDataResponse response, MemorySegment target) {
        int length = responseBytes(response);
        begin(response, MessageLayout.TYPE_META_DATA_RESPONSE, length, target);
        ByteBuffer content = response.content();
        int flags = (response.checksum().isPresent() ? MessageLayout.FLAG_CHECKSUM : 0)
                | (content == null ? 0 : MessageLayout.FLAG_CONTENT);
        putMetaData(response.metaData(), flags, target);
        target.set(MessageLayout.U32, MessageLayout.CHECKSUM, (int)
                response.checksum().orElse(0));
        if (content != null) {
            long behind = MessageLayout.HEADER_BYTES + (long) rank(response.metaData()) * Long.BYTES;
            MemorySegment.copy(MemorySegment.ofBuffer(content), 0, target, behind, content.remaining());
        }
        return length;
    }

    private static int responseBytes(MetaDataResponse response) {
        ByteBuffer content = response.content();
        return MessageLayout.paddedLength(rank(response.metaData()), content == null ? 0 : content.remaining(), 0);
    }

    private static int encodeContent(TensorContent tensor, MemorySegment target) {
        requireRoom(tensor, encodedSize(tensor), target);
        MemorySegment content = MemorySegment.ofBuffer(tensor.content());
        return encodeContent(target, 0, tensor.stepId(), tensor.requestIndex(), content);
    }

    static int encodeContent(MemorySegment target, long offset, long stepId, int requestIndex, MemorySegment content) {
        int bytes = (int) content.byteSize();
        int length = MessageLayout.paddedContent(bytes);
        target.set(MessageLayout.U32, offset, CONTENT_PREAMBLE);
        target.set(MessageLayout.U32, offset + MessageLayout.LENGTH, length);
        target.set(MessageLayout.U64, offset + MessageLayout.STEP_ID, stepId);
        target.set(MessageLayout.U32, offset + MessageLayout.REQUEST_INDEX, requestIndex);
        target.set(MessageLayout.U32, offset + MessageLayout.CONTENT_SIZE, bytes);
        if (bytes > 0) {
            // Clears the padding; the content then overwrites its part of these eight bytes.
            target.set(MessageLayout.U64, offset + length - Long.BYTES, 0);
            MemorySegment.copy(content, 0, target, offset + MessageLayout.CONTENT_HEADER_BYTES, bytes);
        }
        return length;
    }

    private static int encodeReRequest(TensorReRequest request, MemorySegment target) {
        int length = MessageLayout.paddedLength(rank(request.metaData()), 0, 0);
        begin(request, MessageLayout.TYPE_TENSOR_RE_REQUEST, length, target);
        putMetaData(request.metaData(), request.inPieces() ? MessageLayout.FLAG_IN_PIECES : 0, target);
        putDestination(request.address(), request.remoteKey(), target);
        return length;
    }

    private static int encodeStatus(ErrorStatus status, MemorySegment target) {
        int statusBytes = Utf8.length(status.message(), maxStatusBytes(target.byteSize()));
        int length = MessageLayout.paddedLength(0, 0, statusBytes);
        begin(status, MessageLayout.TYPE_ERROR_STATUS, length, target);
        putStatus(status.direction(), status.code(), status.message(), statusBytes, target);
        return length;
    }

    private static void putStatus(
            Direction direction, StatusCode code, String text, int textBytes, MemorySegment target) {
        int flags = direction == Direction.TO_SENDER ? MessageLayout.FLAG_TO_SENDER : 0;
        target.set(MessageLayout.U8, MessageLayout.FLAGS, (byte) flags);
        target.set(MessageLayout.U32, MessageLayout.STATUS_CODE, code.number());
        target.set(MessageLayout.U32, MessageLayout.STATUS_SIZE, textBytes);
        Utf8.write(text, textBytes, target, MessageLayout.HEADER_BYTES);
    }

    private static int encodeOffer(EdgeOffer offer, MemorySegment target) {
        int nameBytes = nameBytes(offer.key());
        int rank = rank(offer.metaData());
        int length = MessageLayout.paddedLength(rank, nameBytes, 0);
        begin(offer, offer.received(), MessageLayout.TYPE_EDGE_OFFER, length, target);
        int flags = (offer.places() == 2 ? MessageLayout.FLAG_TWO_PLACES : 0)
                | (offer.credit() ? MessageLayout.FLAG_CREDIT : 0)
                | (offer.resumed() ? MessageLayout.FLAG_REPLAY : 0);
        putMetaData(offer.metaData(), flags, target);
        putDestination(offer.address(), offer.remoteKey(), target);
        target.set(MessageLayout.U32, MessageLayout.EDGE_UNRELEASED, offer.unreleased());
        target.set(MessageLayout.U32, MessageLayout.EDGE_OPENING, offer.opening());
        putName(offer.key(), nameBytes, rank, target);
        return length;
    }

    private static int encodeDynamicOffer(DynamicOffer offer, MemorySegment target) {
        int nameBytes = nameBytes(offer.key());
        int length = MessageLayout.paddedLength(0, nameBytes, 0);
        begin(offer, offer.received(), MessageLayout.TYPE_DYNAMIC_OFFER, length, target);
        putMetaData(null, offer.resumed() ? MessageLayout.FLAG_REPLAY : 0, target);
        target.set(MessageLayout.U64, MessageLayout.TENSOR_BYTES, offer.largestBytes());
        target.set(MessageLayout.U32, MessageLayout.EDGE_SLOTS, offer.slots());
        target.set(MessageLayout.U32, MessageLayout.EDGE_OPENING, offer.opening());
        putName(offer.key(), nameBytes, 0, target);
        return length;
    }

    private static int encodeEdgeTensor(EdgeTensor tensor, MemorySegment target) {
        int length = MessageLayout.paddedLength(rank(tensor.metaData()), 0, 0);
        begin(tensor, tensor.sequence(), MessageLayout.TYPE_EDGE_TENSOR, length, target);
        putMetaData(tensor.metaData(), 0, target);
        putDestination(tensor.address(), tensor.remoteKey(), target);
        return length;
    }

    private static int encodeEdgeStatus(EdgeStatus status, MemorySegment target) {
        int statusBytes = Utf8.length(status.message(), maxStatusBytes(target.byteSize()));
        int length = MessageLayout.paddedLength(0, 0, statusBytes);
        begin(status, status.count(), MessageLayout.TYPE_EDGE_STATUS, length, target);
        putStatus(status.direction(), status.code(), status.message(), statusBytes, target);
        return length;
    }

    private static int encodeCredit(EdgeCredit credit, MemorySegment target) {
        requireRoom(credit, MessageLayout.CREDIT_BYTES, target);
        return encodeCredit(target, 0, credit.edge(), credit.released());
    }

    static int encodeCredit(MemorySegment target, long offset, int edge, long released) {
        target.set(MessageLayout.U64, offset, CREDIT_PREAMBLE);
        target.set(MessageLayout.U64, offset + MessageLayout.EDGE_COUNT, released);
        target.set(MessageLayout.U32, offset + MessageLayout.EDGE_NUMBER, edge);
        target.set(MessageLayout.U32, offset + MessageLayout.CREDIT_RESERVED, 0);
        return MessageLayout.CREDIT_BYTES;
    }

    private static void begin(Message.OfEdge message, long count, int type, int length, MemorySegment target) {
        requireRoom(message, length, target);
        begin(type, length, target);
        target.set(MessageLayout.U64, MessageLayout.EDGE_COUNT, count);
        target.set(MessageLayout.U32, MessageLayout.EDGE_NUMBER, message.edge());
    }

    private static void requireRoom(Message.OfEdge message, int length, MemorySegment target) {
        if (length > target.byteSize()) {
            throw new IllegalArgumentException(noRoom(length, target) + ": edge " + message.edge());
        }
    }

    private static int encodePartOpen(PartOpen open, MemorySegment target) {
        int nameBytes = nameBytes(open.name());
        int rank = rank(open.metaData());
        int length = MessageLayout.paddedLength(rank, nameBytes, 0);
        begin(open, MessageLayout.TYPE_PART_OPEN, length, target);
        putMetaData(open.metaData(), 0, target);
        putName(open.name(), nameBytes, rank, target);
        return length;
    }

    private static int encodePartGrant(PartGrant grant, MemorySegment target) {
        begin(grant, MessageLayout.TYPE_PART_GRANT, MessageLayout.HEADER_BYTES, target);
        target.set(MessageLayout.U64, MessageLayout.PART_FIRST_ROW, grant.firstRow());
        target.set(MessageLayout.U64, MessageLayout.TENSOR_BYTES, grant.bytes());
        putDestination(grant.address(), grant.remoteKey(), target);
        return MessageLayout.HEADER_BYTES;
    }

    private static int encodePartStatus(PartStatus status, MemorySegment target) {
        int statusBytes = Utf8.length(status.message(), maxStatusBytes(target.byteSize()));
        int length = MessageLayout.paddedLength(0, 0, statusBytes);
        begin(status, MessageLayout.TYPE_PART_STATUS, length, target);
        putStatus(status.direction(), status.code(), status.message(), statusBytes, target);
        return length;
    }

    private static void begin(Message.OfPart message, int type, int length, MemorySegment target) {
        if (length > target.byteSize()) {
            throw new IllegalArgumentException(noRoom(length, target) + ": part " + message.part());
        }
        begin(type, length, target);
        target.set(MessageLayout.U32, MessageLayout.PART_NUMBER, message.part());
    }

    private static String noRoom(int length, MemorySegment target) {
        return "a message of " + length + " bytes does not fit in a slot of " + target.byteSize();
    }

    private static int encodeBare(int type, MemorySegment target) {
        if (target.byteSize() < MessageLayout.HEADER_BYTES) {
            throw new IllegalArgumentException(noRoom(MessageLayout.HEADER_BYTES, target));
        }
        begin(type, MessageLayout.HEADER_BYTES, target);
        return MessageLayout.HEADER_BYTES;
    }

    private static int encodeRepeated(RepeatedRequest request, MemorySegment target) {
        requireRoom(request, MessageLayout.REPEATED_BYTES, target);
        return encodeRepeated(
                target,
                0,
                request.stepId(),
                request.requestIndex(),
                request.nameId(),
                request.address(),
                request.remoteKey());
    }

    static int encodeRepeated(
            MemorySegment target, long offset, long stepId, int requestIndex, int nameId, long address, int remoteKey) {
        target.set(MessageLayout.U64, offset, REPEATED_PREAMBLE);
        target.set(MessageLayout.U64, offset + MessageLayout.STEP_ID, stepId);
        target.set(MessageLayout.U32, offset + MessageLayout.REQUEST_INDEX, requestIndex);
        target.set(MessageLayout.U32, offset + MessageLayout.REMOTE_KEY, remoteKey);
        target.set(MessageLayout.U64, offset + MessageLayout.REMOTE_ADDRESS, address);
        target.set(MessageLayout.U32, offset + MessageLayout.REPEATED_NAME_ID, nameId);
        target.set(MessageLayout.U32, offset + MessageLayout.REPEATED_RESERVED, 0);
        return MessageLayout.REPEATED_BYTES;
    }

    private static int encodePiece(TensorPiece piece, MemorySegment target) {
        begin(piece, MessageLayout.TYPE_TENSOR_PIECE, MessageLayout.PIECE_BYTES, target);
        putDestination(piece.address(), piece.remoteKey(), target);
        target.set(MessageLayout.U32, MessageLayout.PIECE_SIZE, piece.bytes());
        target.set(MessageLayout.U32, MessageLayout.PIECE_NUMBER, piece.piece());
        return MessageLayout.PIECE_BYTES;
    }

    private static void begin(Message.OfRequest message, int type, int length, MemorySegment target) {
        requireRoom(message, length, target);
        begin(type, length, target);
        target.set(MessageLayout.U64, MessageLayout.STEP_ID, message.stepId());
        target.set(MessageLayout.U32, MessageLayout.REQUEST_INDEX, message.requestIndex());
    }

    private static void requireRoom(Message.OfRequest message, int length, MemorySegment target) {
        if (length > target.byteSize()) {
            throw new IllegalArgumentException(noRoom(length, target) + ": step " + message.stepId() + ", request "
                    + RequestIndex.describe(message.requestIndex()));
        }
    }

    /// Zeroes the whole message, so that fields not set later are 0 and no stale bytes are sent, and sets the fields
    /// common to all messages.
    private static void begin(int type, int length, MemorySegment target) {
        target.asSlice(0, length).fill((byte) 0);
        target.set(MessageLayout.U16, MessageLayout.MAGIC, (short) MessageLayout.MAGIC_VALUE);
        target.set(MessageLayout.U8, MessageLayout.VERSION, (byte) MessageLayout.VERSION_VALUE);
        target.set(MessageLayout.U8, MessageLayout.TYPE, (byte) type);
        target.set(MessageLayout.U32, MessageLayout.LENGTH, length);
    }

    private static void putMetaData(@Nullable TensorMetaData metaData, int flags, MemorySegment target) {
        int allFlags = flags;
        if (metaData != null) {
            allFlags |= MessageLayout.FLAG_META_DATA | (metaData.dead() ? MessageLayout.FLAG_DEAD : 0);
            Shape shape = metaData.shape();
            target.set(MessageLayout.U64, MessageLayout.TENSOR_BYTES, metaData.byteSize());
            target.set(
                    MessageLayout.U32,
                    MessageLayout.DATA_TYPE,
                    metaData.dataType().number());
            target.set(MessageLayout.U8, MessageLayout.RANK, (byte) shape.rank());
            for (int axis = 0; axis < shape.rank(); axis++) {
                target.set(
                        MessageLayout.U64,
                        MessageLayout.HEADER_BYTES + (long) axis * Long.BYTES,
                        shape.dimension(axis));
            }
        }
        target.set(MessageLayout.U8, MessageLayout.FLAGS, (byte) allFlags);
    }

    private static void putDestination(long address, int remoteKey, MemorySegment target) {
        target.set(MessageLayout.U64, MessageLayout.REMOTE_ADDRESS, address);
        target.set(MessageLayout.U32, MessageLayout.REMOTE_KEY, remoteKey);
    }

    private static void putName(String name, int nameBytes, int rank, MemorySegment target) {
        target.set(MessageLayout.U16, MessageLayout.NAME_SIZE, (short) nameBytes);
        Utf8.write(name, nameBytes, target, MessageLayout.HEADER_BYTES + (long) rank * Long.BYTES);
    }

    private static int rank(@Nullable TensorMetaData metaData) {
        return metaData == null ? 0 : metaData.shape().rank();
    }

    private static int nameBytes(String key) {
        // A character takes at most 4 bytes, so the length of a key truncated at this limit still shows that it is too
        // long.
        int bytes = Utf8.length(key, MessageLayout.MAX_NAME_BYTES + 4);
        if (bytes > MessageLayout.MAX_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "the rendezvous key takes more than " + MessageLayout.MAX_NAME_BYTES + " bytes: '" + key + "'");
        }
        return bytes;
    }
}
