package io.tensorferry.verbs.wire;

import static io.tensorferry.verbs.wire.WrongBytes.assertContradictory;
import static io.tensorferry.verbs.wire.WrongBytes.assertNoBitMayBeSet;
import static io.tensorferry.verbs.wire.WrongBytes.assertRefused;
import static io.tensorferry.verbs.wire.WrongBytes.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Message.Direction;
import io.tensorferry.verbs.wire.Message.OfPart;
import io.tensorferry.verbs.wire.Message.PartGrant;
import io.tensorferry.verbs.wire.Message.PartOpen;
import io.tensorferry.verbs.wire.Message.PartStatus;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Each way in which a peer's bytes about a part of a tensor can be wrong, one at a time.
@Timeout(10)
class PartMessageDecodeTest {
    private static final TensorMetaData TABLE = TensorMetaData.of(DataType.FLOAT, Shape.of(1000, 4));
    private static final PartOpen OPEN = new PartOpen(3, "embedding", TABLE);
    private static final PartGrant GRANT = new PartGrant(3, 500, 8000, 0x1000, 7);
    private static final PartGrant EMPTY = new PartGrant(3, 500, 0, 0, 0);
    private static final PartStatus CLOSED = new PartStatus(3, Direction.TO_RECEIVER, StatusCode.ABORTED, "closed");
    private static final PartStatus DONE = new PartStatus(3, Direction.TO_SENDER, StatusCode.CANCELLED, "done");
    private static final List<OfPart> MESSAGES = List.of(OPEN, GRANT, EMPTY, CLOSED, DONE);

    @Test
    void whatIsNotWrongIsDecoded() {
        for (OfPart message : MESSAGES) {
            assertThat(with(message, m -> {})).isEqualTo(message);
        }
    }

    @Test
    void theNumberOfAPartThatIsOutOfRangeIsRefused() {
        for (OfPart message : MESSAGES) {
            for (int part : new int[] {OfPart.COUNT, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                assertContradictory(message, m -> m.set(MessageLayout.U32, 16, part));
            }
            assertRefused(message, m -> m.set(MessageLayout.U32, 16, -1), "request_index", "0xffffffff");
            var last = (OfPart) with(message, m -> m.set(MessageLayout.U32, 16, OfPart.COUNT - 1));
            assertThat(last.part()).isEqualTo(OfPart.COUNT - 1);
        }
    }

    @Test
    void aPartIsOpenedByTheNameOfATensor() {
        assertContradictory(OPEN, m -> {
            m.set(MessageLayout.U16, 54, (short) 0);
            m.set(MessageLayout.U32, 4, 80);
            m.asSlice(80).fill((byte) 0);
        });
        assertRefused(OPEN, m -> m.set(MessageLayout.U8, 80, (byte) 0xFF), "name", "no UTF-8");
        assertRefused(OPEN, m -> m.set(MessageLayout.U16, 54, (short) 17), "length", "96");
        assertRefused(OPEN, m -> m.set(MessageLayout.U8, 95, (byte) 1), "the padding at 95", "1");
    }

    @Test
    void aNameLongerThanItMayBeIsRefused() {
        var longest = new PartOpen(3, "n".repeat(496), TABLE);
        assertThat(with(longest, m -> {})).isEqualTo(longest);
        // The name of a request may be longer.
        Message request = new Message.TensorRequest(0, 3, "n".repeat(497), TABLE, 0x1000, 7, false);
        assertContradictory(request, m -> {
            m.set(MessageLayout.U8, 3, (byte) MessageLayout.TYPE_PART_OPEN);
            m.set(MessageLayout.U32, 20, 0);
            m.set(MessageLayout.U64, 24, 0);
        });
    }

    @Test
    void aPartIsOpenedOfNumericRowsAndColumns() {
        assertRefused(
                OPEN,
                m -> {
                    m.set(MessageLayout.U8, 52, (byte) 0);
                    m.set(MessageLayout.U8, 53, (byte) 0);
                    m.set(MessageLayout.U32, 4, 80);
                    m.set(MessageLayout.U64, 32, 0);
                    m.set(MessageLayout.U32, 48, 0);
                    m.asSlice(64, 9).fill((byte) 'n');
                    m.asSlice(73).fill((byte) 0);
                },
                "flags",
                "0x0");
        var string = DataType.STRING.number();
        assertContradictory(OPEN, m -> m.set(MessageLayout.U32, 48, string));
        assertContradictory(OPEN, m -> m.set(MessageLayout.U64, 32, 15_999));
        assertContradictory(OPEN, m -> m.set(MessageLayout.U64, 64, -1));
        // Its second dimension is the name's first part: a vector.
        assertContradictory(OPEN, m -> {
            m.set(MessageLayout.U8, 53, (byte) 1);
            m.set(MessageLayout.U64, 32, 4000);
            m.set(MessageLayout.U64, 72, 0x6161616161616161L);
            m.set(MessageLayout.U64, 80, 0x6161616161616161L);
            m.set(MessageLayout.U64, 88, 0);
            m.set(MessageLayout.U16, 54, (short) 17);
        });
        var rowsOfNothing = new PartOpen(3, "n", TensorMetaData.of(DataType.FLOAT, Shape.of(5, 0)));
        assertThat(with(rowsOfNothing, m -> {})).isEqualTo(rowsOfNothing);
    }

    @Test
    void whoOpensAPartSaysNothingElse() {
        assertRefused(OPEN, m -> m.set(MessageLayout.U64, 8, 1), "step_id", "0x1");
        assertRefused(OPEN, m -> m.set(MessageLayout.U32, 20, 1), "rkey", "0x1");
        assertRefused(OPEN, m -> m.set(MessageLayout.U64, 24, 1), "remote_addr", "0x1");
        assertRefused(OPEN, m -> m.set(MessageLayout.U32, 40, 1), "checksum", "0x1");
        assertRefused(OPEN, m -> m.set(MessageLayout.U32, 44, 1), "checksum", "0x100000000");
        assertRefused(OPEN, m -> m.set(MessageLayout.U32, 56, 1), "status_code", "0x1");
        assertNoBitMayBeSet(OPEN, 8, 8);
        assertNoBitMayBeSet(OPEN, 20, 12);
        assertNoBitMayBeSet(OPEN, 40, 8);
        assertNoBitMayBeSet(OPEN, 56, 8);
        for (int flag : new int[] {0x01, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80}) {
            int flags = 0x02 | flag;
            assertRefused(
                    OPEN, m -> m.set(MessageLayout.U8, 52, (byte) flags), "flags", "0x" + Integer.toHexString(flags));
        }
    }

    @Test
    void aPartIsGrantedWithinTheAddressSpace() {
        assertContradictory(GRANT, m -> m.set(MessageLayout.U64, 24, 0));
        assertContradictory(GRANT, m -> m.set(MessageLayout.U64, 24, -8000 + 1));
        assertContradictory(GRANT, m -> m.set(MessageLayout.U64, 32, Long.MIN_VALUE));
        assertContradictory(GRANT, m -> m.set(MessageLayout.U64, 32, -1));
        var last = (PartGrant) with(GRANT, m -> m.set(MessageLayout.U64, 24, -8001));
        assertThat(last.address()).isEqualTo(-8001);
    }

    @Test
    void anEmptyPartHasNoMemory() {
        assertContradictory(GRANT, m -> m.set(MessageLayout.U64, 32, 0));
        assertContradictory(EMPTY, m -> m.set(MessageLayout.U64, 24, 0x1000));
        assertContradictory(EMPTY, m -> m.set(MessageLayout.U32, 20, 7));
        assertNoBitMayBeSet(EMPTY, 20, 12);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE})
    void aPartThatBeginsBeforeTheFirstRowIsRefused(long row) {
        assertContradictory(GRANT, m -> m.set(MessageLayout.U64, 8, row));
    }

    @Test
    void aPartIsGrantedWithNothingElse() {
        for (int flag = 1; flag < 0x100; flag <<= 1) {
            byte flags = (byte) flag;
            assertRefused(
                    GRANT, m -> m.set(MessageLayout.U8, 52, flags), "flags", "0x" + Integer.toHexString(flags & 0xFF));
        }
        assertRefused(GRANT, m -> m.set(MessageLayout.U32, 40, 1), "checksum", "0x1");
        assertRefused(GRANT, m -> m.set(MessageLayout.U32, 44, 1), "checksum", "0x100000000");
        assertRefused(GRANT, m -> m.set(MessageLayout.U32, 48, 1), "data_type", "0x1");
        assertRefused(GRANT, m -> m.set(MessageLayout.U32, 56, 1), "status_code", "0x1");
        assertNoBitMayBeSet(GRANT, 40, 24);
        assertRefused(
                OPEN,
                m -> {
                    m.set(MessageLayout.U8, 3, (byte) MessageLayout.TYPE_PART_GRANT);
                    m.set(MessageLayout.U8, 52, (byte) 0);
                },
                "rank",
                "0x2");
        assertRefused(GRANT, m -> m.set(MessageLayout.U32, 4, 56), "length", "56");
    }

    @Test
    void whyAPartEndsIsNeverOk() {
        for (PartStatus status : List.of(CLOSED, DONE)) {
            assertRefused(status, m -> m.set(MessageLayout.U32, 56, 0), "status_code", "0");
            var later = (PartStatus) with(status, m -> m.set(MessageLayout.U32, 56, 4711));
            assertThat(later.code()).isEqualTo(StatusCode.UNKNOWN);
        }
    }

    @Test
    void whyAPartEndsIsSaidWithNothingElse() {
        for (int flag : new int[] {0x01, 0x02, 0x04, 0x08, 0x20, 0x40, 0x80}) {
            assertRefused(
                    CLOSED, m -> m.set(MessageLayout.U8, 52, (byte) flag), "flags", "0x" + Integer.toHexString(flag));
        }
        for (PartStatus status : List.of(CLOSED, DONE)) {
            assertRefused(status, m -> m.set(MessageLayout.U64, 8, 1), "step_id", "0x1");
            assertRefused(status, m -> m.set(MessageLayout.U32, 20, 1), "rkey", "0x1");
            assertRefused(status, m -> m.set(MessageLayout.U64, 32, 1), "tensor_bytes", "0x1");
            assertRefused(status, m -> m.set(MessageLayout.U64, 40, 1), "checksum", "0x1");
            assertNoBitMayBeSet(status, 8, 8);
            assertNoBitMayBeSet(status, 20, 32);
            assertNoBitMayBeSet(status, 53, 3);
        }
        assertRefused(CLOSED, m -> m.set(MessageLayout.U32, 60, 9), "length", "72");
        assertRefused(CLOSED, m -> m.set(MessageLayout.U8, 64, (byte) 0xFF), "the status message", "no UTF-8");
    }
}
