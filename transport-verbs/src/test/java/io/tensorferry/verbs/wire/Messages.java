package io.tensorferry.verbs.wire;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.testing.Draw;
import io.tensorferry.verbs.wire.Message.Direction;
import io.tensorferry.verbs.wire.Message.ErrorStatus;
import io.tensorferry.verbs.wire.Message.MetaDataResponse;
import io.tensorferry.verbs.wire.Message.TensorReRequest;
import io.tensorferry.verbs.wire.Message.TensorRequest;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.Random;

/// Every kind of message that may be sent, for property tests.
final class Messages {
    /// Low enough that no content of a generated shape exceeds the address space.
    private static final long MAX_ADDRESS = 1L << 62;

    private Messages() {}

    /// Any message that may be sent.
    static Message any(Draw draw) {
        return draw.oneOf(
                () -> request(draw),
                () -> repeatedRequest(draw),
                () -> response(draw),
                () -> responseWithContent(draw),
                () -> new Message.TensorContent(draw.anyLong(), index(draw), bytes(draw.intOf(0, 600), draw.anyInt())),
                () -> reRequest(draw),
                () -> piece(draw),
                () -> anyStatus(draw),
                () -> edgeOffer(draw),
                () -> dynamicOffer(draw),
                () -> edgeTensor(draw),
                () -> edgeStatus(draw),
                () -> new Message.EdgeCredit(edge(draw), notNegative(draw)),
                () -> partOpen(draw),
                () -> partGrant(draw),
                () -> new Message.PartStatus(
                        part(draw), draw.of(Direction.class), errorCode(draw), draw.wellFormedText(0, 300)),
                Message.Heartbeat::new,
                Message.Resumed::new);
    }

    private static Message request(Draw draw) {
        String key = draw.wellFormedText(1, 300);
        TensorMetaData metaData = draw.weighted(3, 7) == 0 ? null : metaData(draw);
        boolean content = metaData != null && metaData.byteSize() > 0;
        int nameId = draw.intOf(0, NameId.COUNT);
        return new TensorRequest(
                draw.anyLong(),
                index(draw),
                MessageCodec.mayName(key, metaData) ? nameId : NameId.NONE,
                key,
                metaData,
                content ? address(draw) : 0,
                content ? draw.anyInt() : 0,
                draw.bool(),
                draw.bool());
    }

    private static Message repeatedRequest(Draw draw) {
        return new Message.RepeatedRequest(
                draw.anyLong(), index(draw), draw.intOf(1, NameId.COUNT), draw.anyLong(), draw.anyInt());
    }

    private static Message response(Draw draw) {
        OptionalLong checksum =
                draw.weighted(3, 7) == 0 ? OptionalLong.empty() : OptionalLong.of(draw.longOf(0, 0xFFFFFFFFL));
        return new MetaDataResponse(draw.anyLong(), index(draw), metaData(draw), checksum);
    }

    private static Message responseWithContent(Draw draw) {
        TensorMetaData metaData = draw.where(candidate -> candidate.byteSize() <= 4096, () -> metaData(draw));
        ByteBuffer content = bytes((int) metaData.byteSize(), draw.anyInt());
        return new MetaDataResponse(draw.anyLong(), index(draw), metaData, OptionalLong.empty(), content);
    }

    private static Message reRequest(Draw draw) {
        TensorMetaData metaData = metaData(draw);
        boolean content = metaData.byteSize() > 0;
        boolean inPieces = draw.bool() && content && metaData.dataType().isDmaAble();
        boolean named = content && !inPieces;
        return new TensorReRequest(
                draw.anyLong(), index(draw), metaData, named ? address(draw) : 0, named ? draw.anyInt() : 0, inPieces);
    }

    private static Message piece(Draw draw) {
        return new Message.TensorPiece(
                draw.anyLong(),
                index(draw),
                draw.intOf(0, Integer.MAX_VALUE),
                draw.intOf(1, Integer.MAX_VALUE),
                address(draw),
                draw.anyInt());
    }

    /// Any status that ends a transfer.
    static ErrorStatus anyStatus(Draw draw) {
        return new ErrorStatus(
                draw.anyLong(), index(draw), draw.of(Direction.class), errorCode(draw), draw.wellFormedText(0, 300));
    }

    private static Message edgeOffer(Draw draw) {
        TensorMetaData metaData = draw.where(Messages::mayBeOffered, () -> metaData(draw));
        boolean content = metaData.byteSize() > 0;
        int places = draw.intOf(1, 2);
        long received = notNegative(draw);
        return new Message.EdgeOffer(
                edge(draw),
                draw.wellFormedText(1, 100),
                metaData,
                places,
                draw.bool(),
                draw.bool(),
                draw.anyInt(),
                received,
                (int) Math.min(received, draw.intOf(0, places)),
                content ? address(draw) : 0,
                content ? draw.anyInt() : 0);
    }

    private static boolean mayBeOffered(TensorMetaData metaData) {
        return !metaData.dead()
                && metaData.dataType().isDmaAble()
                && metaData.shape().rank() < 8;
    }

    private static Message dynamicOffer(Draw draw) {
        return new Message.DynamicOffer(
                edge(draw),
                draw.wellFormedText(1, 100),
                draw.intOf(1, 0xFFFF),
                notNegative(draw),
                draw.bool(),
                draw.anyInt(),
                notNegative(draw));
    }

    private static Message edgeTensor(Draw draw) {
        TensorMetaData metaData = draw.where(
                candidate -> !candidate.dead() && candidate.dataType().isDmaAble(), () -> metaData(draw));
        boolean content = metaData.byteSize() > 0;
        return new Message.EdgeTensor(
                edge(draw), notNegative(draw), metaData, content ? address(draw) : 0, content ? draw.anyInt() : 0);
    }

    private static Message edgeStatus(Draw draw) {
        boolean toReceiver = draw.bool();
        return new Message.EdgeStatus(
                edge(draw),
                toReceiver ? notNegative(draw) : 0,
                toReceiver ? Direction.TO_RECEIVER : Direction.TO_SENDER,
                toReceiver ? draw.of(StatusCode.class) : errorCode(draw),
                draw.wellFormedText(0, 300));
    }

    private static Message partOpen(Draw draw) {
        Shape shape = Shape.of(draw.longOf(0, 1L << 28), draw.longOf(0, 1L << 28));
        return new Message.PartOpen(part(draw), draw.wellFormedText(1, 100), TensorMetaData.of(dmaAble(draw), shape));
    }

    private static Message partGrant(Draw draw) {
        long bytes = draw.longOf(0, MAX_ADDRESS);
        return new Message.PartGrant(
                part(draw), notNegative(draw), bytes, bytes > 0 ? address(draw) : 0, bytes > 0 ? draw.anyInt() : 0);
    }

    private static int part(Draw draw) {
        return draw.intOf(0, Message.OfPart.COUNT - 1);
    }

    private static int edge(Draw draw) {
        return draw.intOf(0, Immediate.EDGES - 1);
    }

    private static int index(Draw draw) {
        return RequestIndex.of(draw.intOf(0, RequestIndex.SLOTS - 1), draw.intOf(0, RequestIndex.GENERATIONS - 1));
    }

    private static long address(Draw draw) {
        return draw.longOf(1, MAX_ADDRESS);
    }

    private static long notNegative(Draw draw) {
        return draw.longOf(0, Long.MAX_VALUE);
    }

    private static StatusCode errorCode(Draw draw) {
        return draw.where(code -> code != StatusCode.OK, () -> draw.of(StatusCode.class));
    }

    private static DataType dmaAble(Draw draw) {
        return draw.where(DataType::isDmaAble, () -> draw.of(DataType.class));
    }

    private static ByteBuffer bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static TensorMetaData metaData(Draw draw) {
        Shape shape = Shape.of(draw.longs(20, () -> draw.longOf(0, 5)));
        return draw.oneOf(
                () -> TensorMetaData.of(dmaAble(draw), shape),
                () -> new TensorMetaData(DataType.STRING, shape, false, draw.longOf(0, 1L << 40)),
                () -> new TensorMetaData(draw.of(DataType.class), shape, true, 0));
    }
}
