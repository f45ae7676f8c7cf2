package io.tensorferry.verbs.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Message.Direction;
import io.tensorferry.verbs.wire.Message.ErrorStatus;
import io.tensorferry.verbs.wire.Message.MetaDataResponse;
import io.tensorferry.verbs.wire.Message.TensorReRequest;
import io.tensorferry.verbs.wire.Message.TensorRequest;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Compares the layout with the bytes that docs/protocol.md prints. A change of these bytes changes the
/// protocol's version.
@Timeout(10)
class MessageGoldenBytesTest {
    private static final TensorMetaData MATRIX = TensorMetaData.of(DataType.FLOAT, Shape.of(2, 3));
    private static final long STEP = 0x1122334455667788L;
    private static final int INDEX = RequestIndex.of(5, 2);

    static Stream<Arguments> messages() {
        return Stream.of(
                Arguments.of(
                        new TensorRequest(STEP, INDEX, "a;1;b;é;0:0", MATRIX, 0x7f0011223344L, 0xcafe0001, true), """
                        5446 02 02 60000000 8877665544332211
                        05002000 0100feca 443322 11007f0000
                        1800000000000000 0000000000000000
                        01000000 0a 02 0c00 00000000 00000000
                        0200000000000000 0300000000000000
                        613b313b623bc3a93b303a30 00000000
                        """),
                Arguments.of(
                        new TensorRequest(
                                STEP, INDEX, 0x102, "a;1;b;e;0:0", MATRIX, 0x7f0011223344L, 0xcafe0001, false, false),
                        """
                        5446 02 02 60000000 8877665544332211
                        05002000 0100feca 443322 11007f0000
                        1800000000000000 00000000 02010000
                        01000000 02 02 0b00 00000000 00000000
                        0200000000000000 0300000000000000
                        613b313b623b653b303a30 0000000000
                        """),
                Arguments.of(new Message.RepeatedRequest(STEP, INDEX, 0x102, 0x7f0011223344L, 0xcafe0001), """
                        5446 02 06 28000000 8877665544332211
                        05002000 0100feca 443322 11007f0000
                        02010000 00000000
                        """),
                Arguments.of(new TensorRequest(STEP, INDEX, "a;1;b;e;0:0", null, 0, 0, false), """
                        5446 02 02 50000000 8877665544332211
                        05002000 00000000 0000000000000000
                        0000000000000000 0000000000000000
                        00000000 00 00 0b00 00000000 00000000
                        613b313b623b653b303a30 0000000000
                        """),
                Arguments.of(new MetaDataResponse(STEP, INDEX, MATRIX, OptionalLong.of(0xe3069283L)), """
                        5446 02 00 50000000 8877665544332211
                        05002000 00000000 0000000000000000
                        1800000000000000 839206e300000000
                        01000000 06 02 0000 00000000 00000000
                        0200000000000000 0300000000000000
                        """),
                Arguments.of(new MetaDataResponse(STEP, INDEX, TensorMetaData.ofDead(), OptionalLong.empty()), """
                        5446 02 00 40000000 8877665544332211
                        05002000 00000000 0000000000000000
                        0000000000000000 0000000000000000
                        01000000 03 00 0000 00000000 00000000
                        """),
                Arguments.of(
                        new MetaDataResponse(
                                STEP,
                                INDEX,
                                TensorMetaData.of(DataType.UINT8, Shape.of(3)),
                                OptionalLong.empty(),
                                ByteBuffer.wrap(new byte[] {7, 8, 9})),
                        """
                        5446 02 00 50000000 8877665544332211
                        05002000 00000000 0000000000000000
                        0300000000000000 0000000000000000
                        04000000 42 01 0000 00000000 00000000
                        0300000000000000 0708090000000000
                        """),
                Arguments.of(new Message.TensorContent(STEP, INDEX, ByteBuffer.wrap(new byte[] {7, 8, 9})), """
                        5446 02 07 20000000 8877665544332211
                        05002000 03000000 0708090000000000
                        """),
                Arguments.of(new Message.TensorContent(STEP, INDEX, ByteBuffer.allocate(0)), """
                        5446 02 07 18000000 8877665544332211
                        05002000 00000000
                        """),
                Arguments.of(new TensorReRequest(STEP, INDEX, MATRIX, 0x7f0011223344L, 0xcafe0001), """
                        5446 02 01 50000000 8877665544332211
                        05002000 0100feca 4433221100 7f0000
                        1800000000000000 0000000000000000
                        01000000 02 02 0000 00000000 00000000
                        0200000000000000 0300000000000000
                        """),
                Arguments.of(new TensorReRequest(STEP, INDEX, MATRIX, 0, 0, true), """
                        5446 02 01 50000000 8877665544332211
                        05002000 00000000 0000000000000000
                        1800000000000000 0000000000000000
                        01000000 82 02 0000 00000000 00000000
                        0200000000000000 0300000000000000
                        """),
                Arguments.of(new Message.TensorPiece(STEP, INDEX, 0x0102, 0x200000, 0x7f0011223344L, 0xcafe0001), """
                        5446 02 10 28000000 8877665544332211
                        05002000 0100feca 443322 11007f0000
                        00002000 02010000
                        """),
                Arguments.of(new ErrorStatus(STEP, INDEX, Direction.TO_SENDER, StatusCode.CANCELLED, "given up"), """
                        5446 02 03 48000000 8877665544332211
                        05002000 00000000 0000000000000000
                        0000000000000000 0000000000000000
                        00000000 10 00 0000 01000000 08000000
                        676976656e207570
                        """),
                Arguments.of(
                        new Message.EdgeOffer(
                                0x1234,
                                "a;1;b;e;0:0",
                                MATRIX,
                                2,
                                true,
                                true,
                                0x9abcdef0,
                                STEP,
                                1,
                                0x7f0011223344L,
                                0xcafe0001),
                        """
                        5446 02 08 60000000 8877665544332211
                        34120000 0100feca 443322 11007f0000
                        1800000000000000 01000000 f0debc9a
                        01000000 2e 02 0b00 00000000 00000000
                        0200000000000000 0300000000000000
                        613b313b623b653b303a30 0000000000
                        """),
                Arguments.of(
                        new Message.EdgeOffer(
                                0,
                                "a;1;b;e;0:0",
                                TensorMetaData.of(DataType.FLOAT, Shape.of(0)),
                                1,
                                false,
                                false,
                                0,
                                0,
                                0,
                                0,
                                0),
                        """
                        5446 02 08 58000000 0000000000000000
                        00000000 00000000 0000000000000000
                        0000000000000000 00000000 00000000
                        01000000 02 01 0b00 00000000 00000000
                        0000000000000000
                        613b313b623b653b303a30 0000000000
                        """),
                Arguments.of(new Message.EdgeStatus(0x1234, 5, Direction.TO_RECEIVER, StatusCode.OK, ""), """
                        5446 02 09 40000000 0500000000000000
                        34120000 00000000 0000000000000000
                        0000000000000000 0000000000000000
                        00000000 00 00 0000 00000000 00000000
                        """),
                Arguments.of(new Message.EdgeStatus(0x1234, 0, Direction.TO_SENDER, StatusCode.ABORTED, "closed"), """
                        5446 02 09 48000000 0000000000000000
                        34120000 00000000 0000000000000000
                        0000000000000000 0000000000000000
                        00000000 10 00 0000 0a000000 06000000
                        636c6f736564 0000
                        """),
                Arguments.of(new Message.EdgeCredit(0xffff, STEP), """
                        5446 02 0a 18000000 8877665544332211
                        ffff0000 00000000
                        """),
                Arguments.of(
                        new Message.DynamicOffer(
                                0x1234, "a;1;b;e;0:0", 0x8001, 0x0102030405060708L, true, 0x9abcdef0, STEP),
                        """
                        5446 02 0b 50000000 8877665544332211
                        34120000 00000000 0000000000000000
                        0807060504030201 01800000 f0debc9a
                        00000000 20 00 0b00 00000000 00000000
                        613b313b623b653b303a30 0000000000
                        """),
                Arguments.of(new Message.DynamicOffer(0, "a;1;b;é;0:0", 1, 0, false, 0, 0), """
                        5446 02 0b 50000000 0000000000000000
                        00000000 00000000 0000000000000000
                        0000000000000000 01000000 00000000
                        00000000 00 00 0c00 00000000 00000000
                        613b313b623bc3a93b303a30 00000000
                        """),
                Arguments.of(new Message.EdgeTensor(0x1234, STEP, MATRIX, 0x7f0011223344L, 0xcafe0001), """
                        5446 02 0c 50000000 8877665544332211
                        34120000 0100feca 443322 11007f0000
                        1800000000000000 00000000 00000000
                        01000000 02 02 0000 00000000 00000000
                        0200000000000000 0300000000000000
                        """),
                Arguments.of(new Message.EdgeTensor(0, 0, TensorMetaData.of(DataType.FLOAT, Shape.of(0)), 0, 0), """
                        5446 02 0c 48000000 0000000000000000
                        00000000 00000000 0000000000000000
                        0000000000000000 00000000 00000000
                        01000000 02 01 0000 00000000 00000000
                        0000000000000000
                        """),
                Arguments.of(new Message.PartOpen(0x1234, "é", MATRIX), """
                        5446 02 0d 58000000 0000000000000000
                        34120000 00000000 0000000000000000
                        1800000000000000 00000000 00000000
                        01000000 02 02 0200 00000000 00000000
                        0200000000000000 0300000000000000
                        c3a9000000000000
                        """),
                Arguments.of(new Message.PartGrant(0x1234, STEP, 24, 0x7f0011223344L, 0xcafe0001), """
                        5446 02 0e 40000000 8877665544332211
                        34120000 0100feca 443322 11007f0000
                        1800000000000000 00000000 00000000
                        00000000 00 00 0000 00000000 00000000
                        """),
                Arguments.of(new Message.PartGrant(0xffff, 7, 0, 0, 0), """
                        5446 02 0e 40000000 0700000000000000
                        ffff0000 00000000 0000000000000000
                        0000000000000000 00000000 00000000
                        00000000 00 00 0000 00000000 00000000
                        """),
                Arguments.of(
                        new Message.PartStatus(0x1234, Direction.TO_RECEIVER, StatusCode.NOT_FOUND, "closed"), """
                        5446 02 0f 48000000 0000000000000000
                        34120000 00000000 0000000000000000
                        0000000000000000 0000000000000000
                        00000000 00 00 0000 05000000 06000000
                        636c6f736564 0000
                        """),
                Arguments.of(new Message.PartStatus(0x1234, Direction.TO_SENDER, StatusCode.CANCELLED, ""), """
                        5446 02 0f 40000000 0000000000000000
                        34120000 00000000 0000000000000000
                        0000000000000000 0000000000000000
                        00000000 10 00 0000 01000000 00000000
                        """),
                Arguments.of(new Message.Heartbeat(), """
                        5446 02 04 40000000 0000000000000000
                        00000000 00000000 0000000000000000
                        0000000000000000 0000000000000000
                        00000000 00 00 0000 00000000 00000000
                        """),
                Arguments.of(new Message.Resumed(), """
                        5446 02 05 40000000 0000000000000000
                        00000000 00000000 0000000000000000
                        0000000000000000 0000000000000000
                        00000000 00 00 0000 00000000 00000000
                        """));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void theBytesAreThoseOfTheProtocol(Message message, String hex) {
        byte[] expected = HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
        byte[] actual = new byte[MessageCodec.encodedSize(message)];

        MessageCodec.encode(message, MemorySegment.ofArray(actual));

        assertThat(HexFormat.of().formatHex(actual)).isEqualTo(HexFormat.of().formatHex(expected));
        assertThat(MessageCodec.decode(MemorySegment.ofArray(expected))).isEqualTo(message);
    }
}
