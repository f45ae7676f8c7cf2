package io.tensorferry.verbs.wire;

import io.tensorferry.api.TensorMetaData;
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
import java.util.OptionalLong;

/// Decodes a peer's bytes into a message, and checks that the fields which its type does not use are 0.
final class MessageDecoder {
    private static final int FLAGS_OF_META_DATA = MessageLayout.FLAG_META_DATA | MessageLayout.FLAG_DEAD;

    private final MessageFields fields;

    private MessageDecoder(MessageFields fields) {
        this.fields = fields;
    }

    static Message decode(MemorySegment source) {
        return new MessageDecoder(MessageFields.of(source)).decode();
    }

    private Message decode() {
        long stepId = fields.i64(MessageLayout.STEP_ID);
        int requestIndex = fields.i32(MessageLayout.REQUEST_INDEX);
        if (!RequestIndex.isValid(requestIndex)) {
            throw new MalformedMessageException(
                    "request_index", "0x%08x".formatted(requestIndex), "the generation 4095 is not in use");
        }
        try {
            return switch (fields.type()) {
                case MessageLayout.TYPE_META_DATA_RESPONSE -> metaDataResponse(stepId, requestIndex);
                case MessageLayout.TYPE_TENSOR_RE_REQUEST -> tensorReRequest(stepId, requestIndex);
                case MessageLayout.TYPE_TENSOR_REQUEST -> tensorRequest(stepId, requestIndex);
                case MessageLayout.TYPE_ERROR_STATUS -> errorStatus(stepId, requestIndex);
                case MessageLayout.TYPE_HEARTBEAT -> bare(new Heartbeat(), stepId, requestIndex);
                case MessageLayout.TYPE_RESUMED -> bare(new Resumed(), stepId, requestIndex);
                case MessageLayout.TYPE_REPEATED_REQUEST -> repeatedRequest(stepId, requestIndex);
                case MessageLayout.TYPE_TENSOR_CONTENT ->
                    new TensorContent(stepId, requestIndex, fields.content(MessageLayout.CONTENT_HEADER_BYTES));
                case MessageLayout.TYPE_EDGE_OFFER -> edgeOffer(stepId, requestIndex);
                case MessageLayout.TYPE_EDGE_STATUS -> edgeStatus(stepId, requestIndex);
                case MessageLayout.TYPE_EDGE_CREDIT -> edgeCredit(stepId, requestIndex);
                case MessageLayout.TYPE_DYNAMIC_OFFER -> dynamicOffer(stepId, requestIndex);
                case MessageLayout.TYPE_EDGE_TENSOR -> edgeTensor(stepId, requestIndex);
                case MessageLayout.TYPE_PART_OPEN -> partOpen(stepId, requestIndex);
                case MessageLayout.TYPE_PART_GRANT -> partGrant(stepId, requestIndex);
                case MessageLayout.TYPE_PART_STATUS -> partStatus(stepId, requestIndex);
                case MessageLayout.TYPE_TENSOR_PIECE -> tensorPiece(stepId, requestIndex);
                default -> throw new MalformedMessageException("type", "" + fields.type(), "it must be 0 to 16");
            };
        } catch (IllegalArgumentException e) {
            // A rule between fields, which the constructors of message, metadata and shape check for local callers too.
            throw new MalformedMessageException("the content", "contradictory", String.valueOf(e.getMessage()), e);
        }
    }

    private TensorRequest tensorRequest(long stepId, int requestIndex) {
        fields.allowFlags(FLAGS_OF_META_DATA | MessageLayout.FLAG_WANTS_CHECKSUM | MessageLayout.FLAG_REPLAY);
        MessageFields.refuse("checksum", fields.i32(MessageLayout.CHECKSUM));
        fields.refuseStatus();
        if (fields.nameBytes() == 0) {
            throw new MalformedMessageException("name_size", "0", "a request must name a key");
        }
        TensorMetaData metaData = fields.metaData();
        return new TensorRequest(
                stepId,
                requestIndex,
                fields.i32(MessageLayout.NAME_ID),
                fields.name(),
                metaData,
                fields.address(),
                fields.remoteKey(),
                fields.has(MessageLayout.FLAG_WANTS_CHECKSUM),
                fields.has(MessageLayout.FLAG_REPLAY));
    }

    private RepeatedRequest repeatedRequest(long stepId, int requestIndex) {
        MessageFields.refuse("the reserved field", fields.i32(MessageLayout.REPEATED_RESERVED));
        return new RepeatedRequest(
                stepId, requestIndex, fields.i32(MessageLayout.REPEATED_NAME_ID), fields.address(), fields.remoteKey());
    }

    private MetaDataResponse metaDataResponse(long stepId, int requestIndex) {
        fields.allowFlags(FLAGS_OF_META_DATA | MessageLayout.FLAG_CHECKSUM | MessageLayout.FLAG_CONTENT);
        fields.refuseDestination();
        fields.refuseName();
        fields.refuseStatus();
        fields.refuseNameId();
        OptionalLong checksum = OptionalLong.empty();
        if (fields.has(MessageLayout.FLAG_CHECKSUM)) {
            checksum = OptionalLong.of(Integer.toUnsignedLong(fields.i32(MessageLayout.CHECKSUM)));
        } else {
            fields.refuseChecksum();
        }
        ByteBuffer content = fields.has(MessageLayout.FLAG_CONTENT) ? fields.content(fields.behindDimensions()) : null;
        return new MetaDataResponse(stepId, requestIndex, fields.requiredMetaData(), checksum, content);
    }

    private TensorReRequest tensorReRequest(long stepId, int requestIndex) {
        fields.allowFlags(FLAGS_OF_META_DATA | MessageLayout.FLAG_IN_PIECES);
        fields.refuseChecksum();
        fields.refuseName();
        fields.refuseStatus();
        return new TensorReRequest(
                stepId,
                requestIndex,
                fields.requiredMetaData(),
                fields.address(),
                fields.remoteKey(),
                fields.has(MessageLayout.FLAG_IN_PIECES));
    }

    private TensorPiece tensorPiece(long stepId, int requestIndex) {
        return new TensorPiece(
                stepId,
                requestIndex,
                fields.i32(MessageLayout.PIECE_NUMBER),
                fields.i32(MessageLayout.PIECE_SIZE),
                fields.address(),
                fields.remoteKey());
    }

    private ErrorStatus errorStatus(long stepId, int requestIndex) {
        fields.refuseAllButStatus();
        return new ErrorStatus(stepId, requestIndex, fields.direction(), fields.failureCode(), fields.statusText());
    }

    /// A message that concerns no request carries nothing but its type.
    private Message bare(Message message, long stepId, int requestIndex) {
        fields.allowFlags(0);
        MessageFields.refuse("step_id", stepId);
        MessageFields.refuse("request_index", requestIndex);
        fields.refuseMetaData();
        fields.refuseDestination();
        fields.refuseChecksum();
        fields.refuseName();
        fields.refuseStatus();
        return message;
    }

    private EdgeOffer edgeOffer(long received, int edge) {
        fields.allowFlags(FLAGS_OF_META_DATA
                | MessageLayout.FLAG_TWO_PLACES
                | MessageLayout.FLAG_CREDIT
                | MessageLayout.FLAG_REPLAY);
        fields.refuseStatus();
        return new EdgeOffer(
                edge,
                fields.name(),
                fields.requiredMetaData(),
                fields.has(MessageLayout.FLAG_TWO_PLACES) ? 2 : 1,
                fields.has(MessageLayout.FLAG_CREDIT),
                fields.has(MessageLayout.FLAG_REPLAY),
                fields.i32(MessageLayout.EDGE_OPENING),
                received,
                fields.i32(MessageLayout.EDGE_UNRELEASED),
                fields.address(),
                fields.remoteKey());
    }

    private DynamicOffer dynamicOffer(long received, int edge) {
        fields.allowFlags(MessageLayout.FLAG_REPLAY);
        fields.refuseType();
        fields.refuseDestination();
        fields.refuseStatus();
        return new DynamicOffer(
                edge,
                fields.name(),
                fields.i32(MessageLayout.EDGE_SLOTS),
                fields.i64(MessageLayout.TENSOR_BYTES),
                fields.has(MessageLayout.FLAG_REPLAY),
                fields.i32(MessageLayout.EDGE_OPENING),
                received);
    }

    private EdgeTensor edgeTensor(long sequence, int edge) {
        fields.allowFlags(MessageLayout.FLAG_META_DATA);
        fields.refuseChecksum();
        fields.refuseName();
        fields.refuseStatus();
        return new EdgeTensor(edge, sequence, fields.requiredMetaData(), fields.address(), fields.remoteKey());
    }

    private EdgeStatus edgeStatus(long count, int edge) {
        fields.refuseAllButStatus();
        return new EdgeStatus(edge, count, fields.direction(), fields.statusCode(), fields.statusText());
    }

    private EdgeCredit edgeCredit(long released, int edge) {
        MessageFields.refuse("the reserved field", fields.i32(MessageLayout.CREDIT_RESERVED));
        return new EdgeCredit(edge, released);
    }

    private PartOpen partOpen(long stepId, int part) {
        fields.allowFlags(MessageLayout.FLAG_META_DATA);
        MessageFields.refuse("step_id", stepId);
        fields.refuseDestination();
        fields.refuseChecksum();
        fields.refuseStatus();
        return new PartOpen(part, fields.name(), fields.requiredMetaData());
    }

    private PartGrant partGrant(long firstRow, int part) {
        fields.allowFlags(0);
        fields.refuseType();
        fields.refuseChecksum();
        fields.refuseName();
        fields.refuseStatus();
        return new PartGrant(
                part, firstRow, fields.i64(MessageLayout.TENSOR_BYTES), fields.address(), fields.remoteKey());
    }

    private PartStatus partStatus(long stepId, int part) {
        fields.refuseAllButStatus();
        MessageFields.refuse("step_id", stepId);
        return new PartStatus(part, fields.direction(), fields.failureCode(), fields.statusText());
    }
}
