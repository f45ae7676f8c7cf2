package io.tensorferry.verbs.wire;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Message.Direction;
import io.tensorferry.verbs.wire.Message.ErrorStatus;
import io.tensorferry.verbs.wire.Message.MetaDataResponse;
import io.tensorferry.verbs.wire.Message.TensorReRequest;
import io.tensorferry.verbs.wire.Message.TensorRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Provide;
import net.jqwik.api.arbitraries.StringArbitrary;
import net.jqwik.api.domains.DomainContextBase;

/// Every kind of message that may be sent, for property tests.
public final class Messages extends DomainContextBase {
    /// Low enough that no content of a generated shape goes over the end of the address space.
    private static final long MAX_ADDRESS = 1L << 62;

    @Provide
    Arbitrary<Message> messages() {
        return Arbitraries.oneOf(
                requests(),
                repeatedRequests(),
                responses(),
                responsesWithContent(),
                contents(),
                reRequests(),
                pieces(),
                statuses().map(status -> status),
                edgeOffers(),
                dynamicOffers(),
                edgeTensors(),
                edgeStatuses(),
                edgeCredits(),
                partOpens(),
                partGrants(),
                partStatuses(),
                Arbitraries.of(new Message.Heartbeat(), new Message.Resumed()));
    }

    private static Arbitrary<Message> requests() {
        return Combinators.combine(
                        Arbitraries.longs(),
                        indexes(),
                        text().ofMinLength(1),
                        metaData().injectNull(0.3),
                        Arbitraries.longs().between(1, MAX_ADDRESS),
                        Arbitraries.integers(),
                        Arbitraries.integers().between(0, NameId.COUNT),
                        Arbitraries.integers().between(0, 3))
                .as((step, index, key, metaData, address, remoteKey, nameId, bits) -> {
                    boolean content = metaData != null && metaData.byteSize() > 0;
                    return new TensorRequest(
                            step,
                            index,
                            MessageCodec.mayName(key, metaData) ? nameId : NameId.NONE,
                            key,
                            metaData,
                            content ? address : 0,
                            content ? remoteKey : 0,
                            (bits & 1) != 0,
                            (bits & 2) != 0);
                });
    }

    private static Arbitrary<Message> edgeOffers() {
        return Combinators.combine(
                        edges(),
                        text().ofMinLength(1).ofMaxLength(100),
                        metaData().filter(Messages::mayBeOffered),
                        Arbitraries.longs().between(0, Long.MAX_VALUE),
                        Arbitraries.integers().between(0, 2),
                        Arbitraries.longs().between(1, MAX_ADDRESS),
                        Arbitraries.longs(),
                        Arbitraries.integers().between(0, 7))
                .as((edge, key, metaData, received, unreleased, address, keyAndOpening, bits) -> {
                    boolean content = metaData.byteSize() > 0;
                    int places = 1 + (bits & 1);
                    return new Message.EdgeOffer(
                            edge,
                            key,
                            metaData,
                            places,
                            (bits & 2) != 0,
                            (bits & 4) != 0,
                            (int) (keyAndOpening >>> Integer.SIZE),
                            received,
                            (int) Math.min(received, Math.min(unreleased, places)),
                            content ? address : 0,
                            content ? keyAndOpening.intValue() : 0);
                });
    }

    private static boolean mayBeOffered(TensorMetaData metaData) {
        return !metaData.dead()
                && metaData.dataType().isDmaAble()
                && metaData.shape().rank() < 8;
    }

    private static Arbitrary<Message> dynamicOffers() {
        return Combinators.combine(
                        edges(),
                        text().ofMinLength(1).ofMaxLength(100),
                        Arbitraries.integers().between(1, 0xFFFF),
                        Arbitraries.longs().between(0, Long.MAX_VALUE),
                        Arbitraries.of(false, true),
                        Arbitraries.integers(),
                        Arbitraries.longs().between(0, Long.MAX_VALUE))
                .as(Message.DynamicOffer::new);
    }

    private static Arbitrary<Message> edgeTensors() {
        return Combinators.combine(
                        edges(),
                        Arbitraries.longs().between(0, Long.MAX_VALUE),
                        metaData()
                                .filter(metaData ->
                                        !metaData.dead() && metaData.dataType().isDmaAble()),
                        Arbitraries.longs().between(1, MAX_ADDRESS),
                        Arbitraries.integers())
                .as((edge, sequence, metaData, address, remoteKey) -> {
                    boolean content = metaData.byteSize() > 0;
                    return new Message.EdgeTensor(
                            edge, sequence, metaData, content ? address : 0, content ? remoteKey : 0);
                });
    }

    private static Arbitrary<Message> partOpens() {
        Arbitrary<Long> dimensions = Arbitraries.longs().between(0, 1L << 28);
        return Combinators.combine(
                        parts(),
                        text().ofMinLength(1).ofMaxLength(100),
                        Arbitraries.of(DataType.class).filter(DataType::isDmaAble),
                        dimensions,
                        dimensions)
                .as((part, name, dataType, rows, columns) ->
                        new Message.PartOpen(part, name, TensorMetaData.of(dataType, Shape.of(rows, columns))));
    }

    private static Arbitrary<Message> partGrants() {
        return Combinators.combine(
                        parts(),
                        Arbitraries.longs().between(0, Long.MAX_VALUE),
                        Arbitraries.longs().between(0, MAX_ADDRESS),
                        Arbitraries.longs().between(1, MAX_ADDRESS),
                        Arbitraries.integers())
                .as((part, firstRow, bytes, address, remoteKey) -> new Message.PartGrant(
                        part, firstRow, bytes, bytes > 0 ? address : 0, bytes > 0 ? remoteKey : 0));
    }

    private static Arbitrary<Message> partStatuses() {
        return Combinators.combine(
                        parts(),
                        Arbitraries.of(Direction.class),
                        Arbitraries.of(StatusCode.class).filter(code -> code != StatusCode.OK),
                        text())
                .as(Message.PartStatus::new);
    }

    private static Arbitrary<Integer> parts() {
        return Arbitraries.integers().between(0, Message.OfPart.COUNT - 1);
    }

    private static Arbitrary<Message> edgeStatuses() {
        return Combinators.combine(
                        edges(),
                        Arbitraries.longs().between(0, Long.MAX_VALUE),
                        Arbitraries.of(Direction.class),
                        Arbitraries.of(StatusCode.class),
                        text())
                .filter((edge, count, direction, code, message) ->
                        direction == Direction.TO_RECEIVER || code != StatusCode.OK)
                .as((edge, count, direction, code, message) -> new Message.EdgeStatus(
                        edge, direction == Direction.TO_RECEIVER ? count : 0, direction, code, message));
    }

    private static Arbitrary<Message> edgeCredits() {
        return Combinators.combine(edges(), Arbitraries.longs().between(0, Long.MAX_VALUE))
                .as(Message.EdgeCredit::new);
    }

    private static Arbitrary<Integer> edges() {
        return Arbitraries.integers().between(0, Immediate.EDGES - 1);
    }

    private static Arbitrary<Message> repeatedRequests() {
        return Combinators.combine(
                        Arbitraries.longs(),
                        indexes(),
                        Arbitraries.integers().between(1, NameId.COUNT),
                        Arbitraries.longs(),
                        Arbitraries.integers())
                .as(Message.RepeatedRequest::new);
    }

    private static Arbitrary<Message> responses() {
        Arbitrary<OptionalLong> checksums = Arbitraries.longs()
                .between(0, 0xFFFFFFFFL)
                .map(OptionalLong::of)
                .injectNull(0.3)
                .map(checksum -> checksum == null ? OptionalLong.empty() : checksum);
        return Combinators.combine(Arbitraries.longs(), indexes(), metaData(), checksums)
                .as(MetaDataResponse::new);
    }

    private static Arbitrary<Message> responsesWithContent() {
        return Combinators.combine(Arbitraries.longs(), indexes(), metaData(), Arbitraries.integers())
                .filter((step, index, metaData, seed) -> metaData.byteSize() <= 4096)
                .as((step, index, metaData, seed) -> new MetaDataResponse(
                        step, index, metaData, OptionalLong.empty(), bytes((int) metaData.byteSize(), seed)));
    }

    private static Arbitrary<Message> contents() {
        return Combinators.combine(
                        Arbitraries.longs(), indexes(), Arbitraries.integers().between(0, 600), Arbitraries.integers())
                .as((step, index, length, seed) -> new Message.TensorContent(step, index, bytes(length, seed)));
    }

    private static ByteBuffer bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static Arbitrary<Message> reRequests() {
        return Combinators.combine(
                        Arbitraries.longs(),
                        indexes(),
                        metaData(),
                        Arbitraries.longs().between(1, MAX_ADDRESS),
                        Arbitraries.integers(),
                        Arbitraries.of(false, true))
                .as((step, index, metaData, address, remoteKey, pieces) -> {
                    boolean content = metaData.byteSize() > 0;
                    boolean inPieces = pieces && content && metaData.dataType().isDmaAble();
                    boolean named = content && !inPieces;
                    return new TensorReRequest(
                            step, index, metaData, named ? address : 0, named ? remoteKey : 0, inPieces);
                });
    }

    private static Arbitrary<Message> pieces() {
        return Combinators.combine(
                        Arbitraries.longs(),
                        indexes(),
                        Arbitraries.integers().between(0, Integer.MAX_VALUE),
                        Arbitraries.integers().between(1, Integer.MAX_VALUE),
                        Arbitraries.longs().between(1, MAX_ADDRESS),
                        Arbitraries.integers())
                .as(Message.TensorPiece::new);
    }

    @Provide
    Arbitrary<ErrorStatus> statuses() {
        Arbitrary<StatusCode> codes =
                Arbitraries.of(Arrays.asList(StatusCode.values())).filter(code -> code != StatusCode.OK);
        return Combinators.combine(Arbitraries.longs(), indexes(), Arbitraries.of(Direction.class), codes, text())
                .as(ErrorStatus::new);
    }

    private static Arbitrary<Integer> indexes() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, RequestIndex.SLOTS - 1),
                        Arbitraries.integers().between(0, RequestIndex.GENERATIONS - 1))
                .as(RequestIndex::of);
    }

    /// Well-formed text of characters that take one to four bytes.
    private static StringArbitrary text() {
        return Arbitraries.strings()
                .withCharRange('\u0000', '\u007f')
                .withCharRange('\u0080', '\ud7ff')
                .withCharRange('\ue000', '\uffff')
                .ofMaxLength(300);
    }

    private static Arbitrary<TensorMetaData> metaData() {
        Arbitrary<Shape> shapes = Arbitraries.longs()
                .between(0, 5)
                .array(long[].class)
                .ofMaxSize(20)
                .map(Shape::of);
        return Arbitraries.oneOf(
                Combinators.combine(Arbitraries.of(DataType.class).filter(DataType::isDmaAble), shapes)
                        .as(TensorMetaData::of),
                Combinators.combine(shapes, Arbitraries.longs().between(0, 1L << 40))
                        .as((shape, bytes) -> new TensorMetaData(DataType.STRING, shape, false, bytes)),
                Combinators.combine(Arbitraries.of(DataType.class), shapes)
                        .as((type, shape) -> new TensorMetaData(type, shape, true, 0)));
    }
}
