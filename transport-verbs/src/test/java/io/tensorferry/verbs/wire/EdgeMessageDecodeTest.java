package io.tensorferry.verbs.wire;

import static io.tensorferry.verbs.wire.WrongBytes.assertContradictory;
import static io.tensorferry.verbs.wire.WrongBytes.assertNoBitMayBeSet;
import static io.tensorferry.verbs.wire.WrongBytes.assertReaderRefuses;
import static io.tensorferry.verbs.wire.WrongBytes.assertRefused;
import static io.tensorferry.verbs.wire.WrongBytes.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Message.Direction;
import io.tensorferry.verbs.wire.Message.DynamicOffer;
import io.tensorferry.verbs.wire.Message.EdgeCredit;
import io.tensorferry.verbs.wire.Message.EdgeOffer;
import io.tensorferry.verbs.wire.Message.EdgeStatus;
import io.tensorferry.verbs.wire.Message.EdgeTensor;
import io.tensorferry.verbs.wire.Message.OfEdge;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Each way in which a peer's bytes about an edge can be wrong, one at a time.
@Timeout(10)
class EdgeMessageDecodeTest {
    private static final TensorMetaData MATRIX = TensorMetaData.of(DataType.FLOAT, Shape.of(2, 3));
    private static final TensorMetaData NOTHING = TensorMetaData.of(DataType.FLOAT, Shape.of(0));
    private static final int OPENING = 0xABCDEF01;
    private static final EdgeOffer OFFER =
            new EdgeOffer(3, "a;1;b;edge;0:0", MATRIX, 2, true, true, OPENING, Long.MAX_VALUE, 2, 0x1000, 7);
    private static final DynamicOffer DYNAMIC =
            new DynamicOffer(3, "a;1;b;edge;0:0", 8, 1L << 40, true, OPENING, Long.MAX_VALUE);
    private static final EdgeTensor TENSOR = new EdgeTensor(3, Long.MAX_VALUE, MATRIX, 0x1000, 7);
    private static final EdgeStatus END = new EdgeStatus(3, 9, Direction.TO_RECEIVER, StatusCode.ABORTED, "it failed");
    private static final EdgeCredit CREDIT = new EdgeCredit(3, 9);
    private static final List<OfEdge> MESSAGES = List.of(OFFER, DYNAMIC, TENSOR, END, CREDIT);

    @Test
    void theNumberOfAnEdgeThatIsOutOfRangeIsRefused() {
        for (Message message : MESSAGES) {
            for (int edge : new int[] {Immediate.EDGES, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                assertContradictory(message, m -> m.set(MessageLayout.U32, 16, edge));
            }
            assertRefused(message, m -> m.set(MessageLayout.U32, 16, -1), "request_index", "0xffffffff");
            var last = (OfEdge) with(message, m -> m.set(MessageLayout.U32, 16, Immediate.EDGES - 1));
            assertThat(last.edge()).isEqualTo(Immediate.EDGES - 1);
        }
    }

    @Test
    void aCountOfTensorsThatIsNegativeIsRefused() {
        for (Message message : MESSAGES) {
            assertContradictory(message, m -> m.set(MessageLayout.U64, 8, -1));
            assertContradictory(message, m -> m.set(MessageLayout.U64, 8, Long.MIN_VALUE));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void anOfferWithMoreUnreleasedThanThereArePlacesIsRefused(int unreleased) {
        assertContradictory(OFFER, m -> m.set(MessageLayout.U32, 40, unreleased));
    }

    @Test
    void anOfferWithMoreUnreleasedThanWereReceivedIsRefused() {
        assertContradictory(OFFER, m -> m.set(MessageLayout.U64, 8, 1));
        // One place, and two in it.
        assertContradictory(OFFER, m -> m.set(MessageLayout.U8, 52, (byte) 0x2A));
    }

    @Test
    void anOfferHasMetaDataAKeyAndMemory() {
        assertRefused(
                OFFER,
                m -> {
                    m.set(MessageLayout.U8, 52, (byte) 0x2C);
                    m.set(MessageLayout.U8, 53, (byte) 0);
                    m.set(MessageLayout.U32, 4, 80);
                    m.set(MessageLayout.U64, 32, 0);
                    m.set(MessageLayout.U32, 48, 0);
                },
                "flags",
                "0x2c");
        assertContradictory(OFFER, m -> {
            m.set(MessageLayout.U16, 54, (short) 0);
            m.set(MessageLayout.U32, 4, 80);
        });
        assertRefused(OFFER, m -> m.set(MessageLayout.U8, 80, (byte) 0xFF), "name", "no UTF-8");
        assertContradictory(OFFER, m -> m.set(MessageLayout.U64, 24, 0));
        assertContradictory(OFFER, m -> m.set(MessageLayout.U64, 24, -8));
        assertContradictory(OFFER, m -> m.set(MessageLayout.U64, 32, 25));
    }

    @Test
    void anOfferOfWhatCannotBeWrittenByItselfIsRefused() {
        var string = DataType.STRING.number();
        assertContradictory(OFFER, m -> m.set(MessageLayout.U32, 48, string));
        assertContradictory(OFFER, m -> m.set(MessageLayout.U8, 52, (byte) 0x2F));
    }

    @Test
    void memoryThatIsOfferedForNothingIsRefused() {
        var offer = new EdgeOffer(3, "a;1;b;edge;0:0", NOTHING, 1, true, false, 0, 0, 0, 0, 0);
        assertContradictory(offer, m -> m.set(MessageLayout.U64, 24, 0x1000));
        assertContradictory(offer, m -> m.set(MessageLayout.U32, 20, 7));
    }

    @Test
    void whatAMessageOfAnEdgeDoesNotHaveMustBeZero() {
        for (int flag : new int[] {0x10, 0x40, 0x80}) {
            byte flags = (byte) (0x2E | flag);
            String value = "0x" + Integer.toHexString(flags & 0xFF);
            assertRefused(OFFER, m -> m.set(MessageLayout.U8, 52, flags), "flags", value);
        }
        for (int flag : new int[] {0x01, 0x02, 0x04, 0x08, 0x20, 0x40, 0x80}) {
            assertRefused(
                    END, m -> m.set(MessageLayout.U8, 52, (byte) flag), "flags", "0x" + Integer.toHexString(flag));
        }
        assertRefused(OFFER, m -> m.set(MessageLayout.U32, 56, 1), "status_code", "0x1");
        assertRefused(END, m -> m.set(MessageLayout.U32, 20, 1), "rkey", "0x1");
        assertRefused(END, m -> m.set(MessageLayout.U64, 24, 1), "remote_addr", "0x1");
        assertRefused(END, m -> m.set(MessageLayout.U64, 32, 1), "tensor_bytes", "0x1");
        assertRefused(END, m -> m.set(MessageLayout.U64, 40, 1), "checksum", "0x1");
        assertRefused(END, m -> m.set(MessageLayout.U32, 48, 1), "data_type", "0x1");
        assertRefused(CREDIT, m -> m.set(MessageLayout.U32, 20, 1), "the reserved field", "0x1");
    }

    @Test
    void theLengthOfAMessageOfAnEdgeIsThatOfItsParts() {
        assertRefused(OFFER, m -> m.set(MessageLayout.U32, 4, 88), "length", "88");
        assertRefused(OFFER, m -> m.set(MessageLayout.U16, 54, (short) 17), "length", "96");
        assertRefused(OFFER, m -> m.set(MessageLayout.U8, 95, (byte) 1), "the padding at 95", "1");
        assertRefused(END, m -> m.set(MessageLayout.U32, 60, 17), "length", "80");
        assertRefused(END, m -> m.set(MessageLayout.U32, 4, 64), "length", "64");
        assertRefused(CREDIT, m -> m.set(MessageLayout.U32, 4, 32), "length", "32");
        assertRefused(CREDIT, m -> m.set(MessageLayout.U8, 3, (byte) 8), "length", "24");
    }

    @Test
    void aReceiverThatEndsAnEdgeSaysWhyAndCountsNothing() {
        // To the sender: 9 tensors.
        assertContradictory(END, m -> m.set(MessageLayout.U8, 52, (byte) 0x10));
        assertContradictory(END, m -> {
            m.set(MessageLayout.U8, 52, (byte) 0x10);
            m.set(MessageLayout.U64, 8, 0);
            m.set(MessageLayout.U32, 56, 0);
        });
        assertThat(((EdgeStatus) with(END, m -> m.set(MessageLayout.U32, 56, 4711))).code())
                .isEqualTo(StatusCode.UNKNOWN);
    }

    @Test
    void theReaderRefusesACreditThatTheDecoderRefuses() {
        assertReaderRefuses(CREDIT, bytes -> bytes.set(MessageLayout.U64, 8, -1));
        assertReaderRefuses(CREDIT, bytes -> bytes.set(MessageLayout.U32, 16, -1));
        assertReaderRefuses(CREDIT, bytes -> bytes.set(MessageLayout.U32, 16, Immediate.EDGES));
        assertReaderRefuses(CREDIT, bytes -> bytes.set(MessageLayout.U32, 20, 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void anyOpeningIsOne(int opening) {
        var offer = (EdgeOffer) with(OFFER, m -> m.set(MessageLayout.U32, 44, opening));
        assertThat(offer.opening()).isEqualTo(opening);
        var dynamic = (DynamicOffer) with(DYNAMIC, m -> m.set(MessageLayout.U32, 44, opening));
        assertThat(dynamic.opening()).isEqualTo(opening);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 65_536, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void aDynamicOfferOfNoSlotsOrTooManyIsRefused(int slots) {
        assertContradictory(DYNAMIC, m -> m.set(MessageLayout.U32, 40, slots));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 65_535})
    void aDynamicOfferMayHaveAsManySlots(int slots) {
        var offer = (DynamicOffer) with(DYNAMIC, m -> m.set(MessageLayout.U32, 40, slots));
        assertThat(offer.slots()).isEqualTo(slots);
    }

    @Test
    void theLargestTensorOfADynamicOfferHasABound() {
        assertContradictory(DYNAMIC, m -> m.set(MessageLayout.U64, 32, -1));
        assertContradictory(DYNAMIC, m -> m.set(MessageLayout.U64, 32, Long.MIN_VALUE));
        for (long largest : new long[] {0, Long.MAX_VALUE}) {
            var offer = (DynamicOffer) with(DYNAMIC, m -> m.set(MessageLayout.U64, 32, largest));
            assertThat(offer.largestBytes()).isEqualTo(largest);
        }
    }

    @Test
    void aDynamicOfferHasAKeyAndNothingElse() {
        assertContradictory(DYNAMIC, m -> {
            m.set(MessageLayout.U16, 54, (short) 0);
            m.set(MessageLayout.U32, 4, 64);
            m.asSlice(64).fill((byte) 0);
        });
        assertRefused(DYNAMIC, m -> m.set(MessageLayout.U8, 64, (byte) 0xFF), "name", "no UTF-8");
        assertRefused(DYNAMIC, m -> m.set(MessageLayout.U32, 20, 1), "rkey", "0x1");
        assertRefused(DYNAMIC, m -> m.set(MessageLayout.U64, 24, 1), "remote_addr", "0x1");
        assertRefused(DYNAMIC, m -> m.set(MessageLayout.U32, 48, 1), "data_type", "0x1");
        assertRefused(DYNAMIC, m -> m.set(MessageLayout.U32, 56, 1), "status_code", "0x1");
        assertNoBitMayBeSet(DYNAMIC, 20, 12);
        assertNoBitMayBeSet(DYNAMIC, 48, 4);
        assertNoBitMayBeSet(DYNAMIC, 53, 1);
        assertNoBitMayBeSet(DYNAMIC, 56, 8);
        assertNoBitMayBeSet(DYNAMIC, 78, 2);
    }

    @Test
    void aDynamicOfferIsResumedOrNot() {
        assertThat(((DynamicOffer) with(DYNAMIC, m -> m.set(MessageLayout.U8, 52, (byte) 0))).resumed())
                .isFalse();
        for (int flag : new int[] {0x01, 0x02, 0x04, 0x08, 0x10, 0x40, 0x80}) {
            assertRefused(
                    DYNAMIC, m -> m.set(MessageLayout.U8, 52, (byte) flag), "flags", "0x" + Integer.toHexString(flag));
        }
    }

    @Test
    void anOfferLongerThanItMayBeIsRefused() {
        var longest = new DynamicOffer(3, "k".repeat(512), 8, 9, false, OPENING, 0);
        assertThat(with(longest, m -> {})).isEqualTo(longest);
        // The name of a request may be longer.
        Message request = new Message.TensorRequest(0, 3, "k".repeat(513), null, 0, 0, false);
        assertContradictory(request, m -> {
            m.set(MessageLayout.U8, 3, (byte) MessageLayout.TYPE_DYNAMIC_OFFER);
            m.set(MessageLayout.U32, 40, 8);
        });
    }

    @Test
    void aTensorHasMetaDataAndMemory() {
        assertRefused(
                TENSOR,
                m -> {
                    m.set(MessageLayout.U8, 52, (byte) 0);
                    m.set(MessageLayout.U8, 53, (byte) 0);
                    m.set(MessageLayout.U32, 4, 64);
                    m.set(MessageLayout.U64, 32, 0);
                    m.set(MessageLayout.U32, 48, 0);
                },
                "flags",
                "0x0");
        assertContradictory(TENSOR, m -> m.set(MessageLayout.U64, 24, 0));
        assertContradictory(TENSOR, m -> m.set(MessageLayout.U64, 24, -8));
        assertContradictory(TENSOR, m -> m.set(MessageLayout.U64, 32, 25));
        assertContradictory(TENSOR, m -> m.set(MessageLayout.U64, 64, -2));
        // Any text is a valid key here.
        assertThat(((EdgeTensor) with(TENSOR, m -> m.set(MessageLayout.U32, 20, 0))).remoteKey())
                .isZero();
    }

    @Test
    void aTensorThatIsNotNumericIsRefused() {
        var string = DataType.STRING.number();
        assertContradictory(TENSOR, m -> m.set(MessageLayout.U32, 48, string));
        assertRefused(TENSOR, m -> m.set(MessageLayout.U8, 52, (byte) 3), "flags", "0x3");
    }

    @Test
    void memoryOfATensorWithoutContentIsRefused() {
        var tensor = new EdgeTensor(3, 0, NOTHING, 0, 0);
        assertThat(with(tensor, m -> {})).isEqualTo(tensor);
        assertContradictory(tensor, m -> m.set(MessageLayout.U64, 24, 0x1000));
        assertContradictory(tensor, m -> m.set(MessageLayout.U32, 20, 7));
        assertNoBitMayBeSet(tensor, 20, 12);
    }

    @Test
    void aTensorHasNothingElse() {
        for (int flag : new int[] {0x01, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80}) {
            int flags = 0x02 | flag;
            assertRefused(
                    TENSOR, m -> m.set(MessageLayout.U8, 52, (byte) flags), "flags", "0x" + Integer.toHexString(flags));
        }
        assertRefused(TENSOR, m -> m.set(MessageLayout.U32, 40, 1), "checksum", "0x1");
        assertRefused(TENSOR, m -> m.set(MessageLayout.U32, 44, 1), "checksum", "0x100000000");
        assertRefused(TENSOR, m -> m.set(MessageLayout.U32, 56, 1), "status_code", "0x1");
        assertNoBitMayBeSet(TENSOR, 40, 8);
        assertNoBitMayBeSet(TENSOR, 54, 10);
        // The name's size by itself contradicts the length.
        assertRefused(
                DYNAMIC,
                m -> {
                    m.set(MessageLayout.U8, 3, (byte) MessageLayout.TYPE_EDGE_TENSOR);
                    m.set(MessageLayout.U8, 52, (byte) 0);
                    m.set(MessageLayout.U64, 40, 0);
                },
                "name_size",
                "0xe");
    }

    @Test
    void theLengthOfAMessageOfADynamicEdgeIsThatOfItsParts() {
        assertRefused(DYNAMIC, m -> m.set(MessageLayout.U32, 4, 72), "length", "72");
        assertRefused(DYNAMIC, m -> m.set(MessageLayout.U16, 54, (short) 17), "length", "80");
        assertRefused(DYNAMIC, m -> m.set(MessageLayout.U8, 79, (byte) 1), "the padding at 79", "1");
        assertRefused(TENSOR, m -> m.set(MessageLayout.U32, 4, 72), "length", "72");
        assertRefused(TENSOR, m -> m.set(MessageLayout.U8, 53, (byte) 3), "length", "80");
        assertRefused(TENSOR, m -> m.set(MessageLayout.U8, 53, (byte) 255), "rank", "255");
    }
}
