package io.tensorferry.verbs.wire;

import static io.tensorferry.verbs.wire.WrongBytes.assertContradictory;
import static io.tensorferry.verbs.wire.WrongBytes.assertReaderRefuses;
import static io.tensorferry.verbs.wire.WrongBytes.assertRefused;
import static io.tensorferry.verbs.wire.WrongBytes.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Message.TensorPiece;
import io.tensorferry.verbs.wire.Message.TensorReRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Each way in which the bytes of the messages about pieces of a content can be wrong, one at a time.
@Timeout(10)
class PieceMessageDecodeTest {
    private static final int INDEX = RequestIndex.of(5, 2);
    private static final byte IN_PIECES = (byte) 0x82;
    private static final TensorMetaData MATRIX = TensorMetaData.of(DataType.FLOAT, Shape.of(2, 3));
    private static final Message PIECE = new TensorPiece(1, INDEX, 9, 24, 0x1000, 7);
    private static final Message RE_REQUEST = new TensorReRequest(1, INDEX, MATRIX, 0, 0, true);

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void aPieceHasAByteAndAtMostTwoToThe31LessOne(int bytes) {
        assertContradictory(PIECE, m -> m.set(MessageLayout.U32, 32, bytes));
        assertThat(((TensorPiece) with(PIECE, m -> m.set(MessageLayout.U32, 32, Integer.MAX_VALUE))).bytes())
                .isEqualTo(Integer.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE})
    void theNumberOfAPieceIsAtMostTwoToThe31LessOne(int number) {
        assertContradictory(PIECE, m -> m.set(MessageLayout.U32, 36, number));
        assertThat(((TensorPiece) with(PIECE, m -> m.set(MessageLayout.U32, 36, Integer.MAX_VALUE))).piece())
                .isEqualTo(Integer.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -8, -23})
    void aPieceOutsideTheAddressSpaceIsRefused(long address) {
        assertContradictory(PIECE, m -> m.set(MessageLayout.U64, 24, address));
    }

    @Test
    void aPieceHasNothingElse() {
        assertRefused(PIECE, m -> m.set(MessageLayout.U32, 4, 32), "length", "32");
        // As long as a heartbeat must be, a piece is too short for one.
        assertRefused(PIECE, m -> m.set(MessageLayout.U8, 3, (byte) 4), "length", "40");
        assertRefused(PIECE, m -> m.set(MessageLayout.U32, 16, 0xFFF00000), "request_index", "0xfff00000");
    }

    @Test
    void aReaderRefusesWhatTheDecoderRefuses() {
        assertReaderRefuses(PIECE, m -> m.set(MessageLayout.U32, 32, 0));
        assertReaderRefuses(PIECE, m -> m.set(MessageLayout.U32, 36, -1));
        assertReaderRefuses(PIECE, m -> m.set(MessageLayout.U32, 4, 48));
    }

    @Test
    void memoryForAContentInPiecesIsNamedByThePieces() {
        assertContradictory(RE_REQUEST, m -> m.set(MessageLayout.U64, 24, 0x1000));
        assertContradictory(RE_REQUEST, m -> m.set(MessageLayout.U32, 20, 7));
    }

    @Test
    void onlyAContentOfSomeBytesThatIsCarriedAsItIsComesInPieces() {
        var empty = new TensorReRequest(1, INDEX, TensorMetaData.of(DataType.FLOAT, Shape.of(0)), 0, 0);
        assertContradictory(empty, m -> m.set(MessageLayout.U8, 52, IN_PIECES));
        var dead = new TensorReRequest(1, INDEX, TensorMetaData.ofDead(), 0, 0);
        assertContradictory(dead, m -> m.set(MessageLayout.U8, 52, (byte) (IN_PIECES | 1)));
        // The element type of strings, whose bytes on the wire may be any number.
        assertContradictory(RE_REQUEST, m -> m.set(MessageLayout.U32, 48, DataType.STRING.number()));
    }
}
