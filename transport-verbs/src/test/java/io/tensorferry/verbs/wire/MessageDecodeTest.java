package io.tensorferry.verbs.wire;

import static io.tensorferry.verbs.wire.WrongBytes.assertReaderRefuses;
import static io.tensorferry.verbs.wire.WrongBytes.assertRefused;
import static io.tensorferry.verbs.wire.WrongBytes.encode;
import static io.tensorferry.verbs.wire.WrongBytes.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Each way in which a peer's bytes can be wrong, one at a time.
@Timeout(10)
class MessageDecodeTest {
    private static final TensorMetaData MATRIX = TensorMetaData.of(DataType.FLOAT, Shape.of(2, 3));
    private static final Message REPEATED = new Message.RepeatedRequest(1, RequestIndex.of(5, 2), 7, 0x1000, 7);
    private static final TensorRequest REQUEST =
            new TensorRequest(1, RequestIndex.of(5, 2), "a;1;b;edge;0:0", MATRIX, 0x1000, 7, true);
    private static final TensorReRequest RE_REQUEST = new TensorReRequest(1, RequestIndex.of(5, 2), MATRIX, 0x1000, 7);
    private static final MetaDataResponse RESPONSE =
            new MetaDataResponse(1, RequestIndex.of(5, 2), MATRIX, OptionalLong.of(9));
    private static final ErrorStatus STATUS =
            new ErrorStatus(1, RequestIndex.of(5, 2), Direction.TO_RECEIVER, StatusCode.ABORTED, "it failed");
    private static final Message.TensorContent CONTENT =
            new Message.TensorContent(1, RequestIndex.of(5, 2), ByteBuffer.wrap(new byte[] {
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19
            }));

    @Test
    void wrongMagicIsRefused() {
        assertRefused(REQUEST, m -> m.set(MessageLayout.U16, 0, (short) 0x4655), "magic", "0x4655");
    }

    @ParameterizedTest
    @ValueSource(bytes = {0, 1, 3, -1})
    void anotherVersionIsRefused(byte version) {
        assertRefused(REQUEST, m -> m.set(MessageLayout.U8, 2, version), "version", "" + (version & 0xFF));
    }

    @Test
    void anUnknownTypeIsRefused() {
        assertRefused(REQUEST, m -> m.set(MessageLayout.U8, 3, (byte) 17), "type", "17");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 63, 65, 88, 104, 112, 1 << 20, -8, Integer.MIN_VALUE})
    void aLengthThatIsNotThatOfThePartsIsRefused(int length) {
        assertRefused(REQUEST, m -> m.set(MessageLayout.U32, 4, length), "length", Integer.toUnsignedString(length));
    }

    @Test
    void aRequestIndexOfTheUnusedGenerationIsRefused() {
        assertRefused(REQUEST, m -> m.set(MessageLayout.U32, 16, 0xFFF00000), "request_index", "0xfff00000");
        assertRefused(
                STATUS, m -> m.set(MessageLayout.U32, 16, Immediate.CONTROL_MESSAGE), "request_index", "0xffffffff");
    }

    @Test
    void anUnknownDataTypeIsRefused() {
        for (int number : new int[] {0, 20, 24, -1, Integer.MAX_VALUE}) {
            assertRefused(RESPONSE, m -> m.set(MessageLayout.U32, 48, number), "the content", "contradictory");
        }
    }

    @Test
    void aNegativeDimensionIsRefused() {
        assertRefused(RESPONSE, m -> m.set(MessageLayout.U64, 64, -2), "the content", "contradictory");
    }

    @Test
    void dimensionsWhoseProductOverflowsAreRefused() {
        assertRefused(
                RESPONSE,
                m -> {
                    m.set(MessageLayout.U64, 64, 1L << 32);
                    m.set(MessageLayout.U64, 72, 1L << 32);
                },
                "the content",
                "contradictory");
        assertRefused(RESPONSE, m -> m.set(MessageLayout.U64, 64, Long.MAX_VALUE / 4), "the content", "contradictory");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 23, 25, -24, Long.MIN_VALUE, Long.MAX_VALUE})
    void tensorBytesThatContradictTheShapeAreRefused(long bytes) {
        assertRefused(RE_REQUEST, m -> m.set(MessageLayout.U64, 32, bytes), "the content", "contradictory");
    }

    @Test
    void aDeadTensorWithContentIsRefused() {
        assertRefused(RESPONSE, m -> m.set(MessageLayout.U8, 52, (byte) 0b111), "the content", "contradictory");
    }

    @Test
    void deadWithoutMetaDataIsRefused() {
        var unknown = new TensorRequest(1, RequestIndex.of(5, 2), "key", null, 0, 0, false);
        assertRefused(unknown, m -> m.set(MessageLayout.U8, 52, (byte) 1), "flags", "0x1");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -8, -23})
    void contentOutsideTheAddressSpaceIsRefused(long address) {
        assertRefused(RE_REQUEST, m -> m.set(MessageLayout.U64, 24, address), "the content", "contradictory");
    }

    @Test
    void aDestinationForNoContentIsRefused() {
        var empty = TensorMetaData.of(DataType.FLOAT, Shape.of(0));
        var request = new TensorReRequest(1, RequestIndex.of(5, 2), empty, 0, 0);
        assertRefused(request, m -> m.set(MessageLayout.U64, 24, 0x1000), "the content", "contradictory");
        assertRefused(request, m -> m.set(MessageLayout.U32, 20, 7), "the content", "contradictory");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0x01", "0, 0x20", "0, 0x80", "1, 0x04", "1, 0x08", "1, 0x20", "1, 0x40", "2, 0x10", "2, 0x04", "2, 0x80",
        "3, 0x01", "3, 0x02", "3, 0x40", "3, 0x80"
    })
    void aFlagThatTheTypeDoesNotHaveIsRefused(int type, int flag) {
        Message message = switch (type) {
            case 0 -> RESPONSE;
            case 1 -> RE_REQUEST;
            case 2 -> REQUEST;
            default -> STATUS;
        };
        byte[] bytes = encode(message);
        byte flags = (byte) (bytes[52] | flag);
        if (type == 0 && flag == 1) {
            // is_dead is a flag of this type, but contradicts the content.
            assertRefused(message, m -> m.set(MessageLayout.U8, 52, flags), "the content", "contradictory");
        } else {
            assertRefused(
                    message,
                    m -> m.set(MessageLayout.U8, 52, flags),
                    "flags",
                    "0x" + Integer.toHexString(flags & 0xFF));
        }
    }

    @Test
    void metaDataIsRequiredWhereTheMessageIsAboutIt() {
        Consumer<MemorySegment> withoutMetaData = m -> {
            m.set(MessageLayout.U8, 52, (byte) 0);
            m.set(MessageLayout.U8, 53, (byte) 0);
            m.set(MessageLayout.U32, 4, 64);
            m.set(MessageLayout.U64, 32, 0);
            m.set(MessageLayout.U64, 40, 0);
            m.set(MessageLayout.U32, 48, 0);
        };
        assertRefused(RESPONSE, withoutMetaData, "flags", "0x0");
        assertRefused(RE_REQUEST, withoutMetaData, "flags", "0x0");
    }

    @Test
    void unusedFieldsMustBeZero() {
        assertRefused(RESPONSE, m -> m.set(MessageLayout.U32, 20, 1), "rkey", "0x1");
        assertRefused(RESPONSE, m -> m.set(MessageLayout.U64, 24, 1), "remote_addr", "0x1");
        assertRefused(RE_REQUEST, m -> m.set(MessageLayout.U64, 40, 1), "checksum", "0x1");
        assertRefused(REQUEST, m -> m.set(MessageLayout.U64, 40, 1), "checksum", "0x1");
        assertRefused(REQUEST, m -> m.set(MessageLayout.U32, 56, 1), "status_code", "0x1");
        assertRefused(STATUS, m -> m.set(MessageLayout.U64, 32, 1), "tensor_bytes", "0x1");
        assertRefused(STATUS, m -> m.set(MessageLayout.U32, 48, 1), "data_type", "0x1");
        assertRefused(STATUS, m -> m.set(MessageLayout.U32, 20, 1), "rkey", "0x1");
    }

    @Test
    void onlyARequestGivesItsKeyANumber() {
        assertRefused(RESPONSE, m -> m.set(MessageLayout.U32, 44, 1), "name_id", "0x1");
        assertRefused(RE_REQUEST, m -> m.set(MessageLayout.U32, 44, 1), "checksum", "0x100000000");
        assertThat(((TensorRequest) with(REQUEST, m -> m.set(MessageLayout.U32, 44, NameId.COUNT))).nameId())
                .isEqualTo(NameId.COUNT);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, NameId.COUNT + 1})
    void aNameIdOutOfRangeIsRefused(int id) {
        assertRefused(REQUEST, m -> m.set(MessageLayout.U32, 44, id), "the content", "contradictory");
        assertRefused(REPEATED, m -> m.set(MessageLayout.U32, 32, id), "the content", "contradictory");
    }

    @Test
    void aLongRequestGivesItsKeyNoNumber() {
        var longest = new TensorRequest(1, RequestIndex.of(5, 2), 7, "k".repeat(512), null, 0, 0, false, false);
        assertThat(MessageCodec.decode(MemorySegment.ofArray(encode(longest)))).isEqualTo(longest);
        var longer = new TensorRequest(1, RequestIndex.of(5, 2), "k".repeat(513), null, 0, 0, false);
        assertRefused(longer, m -> m.set(MessageLayout.U32, 44, 7), "the content", "contradictory");
    }

    @Test
    void aRepeatedRequestHasNothingElse() {
        assertRefused(REPEATED, m -> m.set(MessageLayout.U32, 32, 0), "the content", "contradictory");
        assertRefused(REPEATED, m -> m.set(MessageLayout.U32, 36, 1), "the reserved field", "0x1");
        assertRefused(REPEATED, m -> m.set(MessageLayout.U32, 4, 32), "length", "32");
        assertRefused(REPEATED, m -> m.set(MessageLayout.U8, 3, (byte) 4), "length", "40");
    }

    @Test
    void theReaderRefusesWhatTheDecoderRefuses() {
        for (int at : new int[] {16, 32, 36}) {
            assertReaderRefuses(REPEATED, bytes -> bytes.set(MessageLayout.U32, at, -1));
        }
        // The request index, the size of the content, and the padding behind it.
        assertReaderRefuses(CONTENT, bytes -> bytes.set(MessageLayout.U32, 16, -1));
        for (int size : new int[] {-1, 0, 16, 17, 25, 1 << 30}) {
            assertReaderRefuses(CONTENT, bytes -> bytes.set(MessageLayout.U32, 20, size));
        }
        for (int at = 24 + CONTENT.content().remaining(); at < 48; at++) {
            int padding = at;
            assertReaderRefuses(CONTENT, bytes -> bytes.set(MessageLayout.U8, padding, (byte) 1));
        }
    }

    @Test
    void anEmptyNameIsRefused() {
        assertRefused(
                REQUEST,
                m -> {
                    m.set(MessageLayout.U16, 54, (short) 0);
                    m.set(MessageLayout.U32, 4, 80);
                },
                "name_size",
                "0");
    }

    @Test
    void aNameLongerThanTheMessageIsRefused() {
        assertRefused(REQUEST, m -> m.set(MessageLayout.U16, 54, (short) 0xFFFF), "length", "96");
    }

    @Test
    void aNameThatIsNotUtf8IsRefused() {
        int name = 64 + 16;
        assertRefused(REQUEST, m -> m.set(MessageLayout.U8, name, (byte) 0xFF), "name", "no UTF-8");
        assertRefused(REQUEST, m -> m.set(MessageLayout.U8, name + 13, (byte) 0xC3), "name", "no UTF-8");
    }

    @Test
    void anEncodedSurrogateIsNotUtf8() {
        assertRefused(
                STATUS,
                m -> MemorySegment.copy(
                        MemorySegment.ofArray(new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80}), 0, m, 64, 3),
                "the status message",
                "no UTF-8");
    }

    /// Defect 16 of the original: a truncated error status aborted its receiver.
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 17, 4096, 65535, 65536, Integer.MAX_VALUE, -1})
    void aStatusLongerOrShorterThanTheMessageIsRefusedAndNothingElse(int statusBytes) {
        assertThatExceptionOfType(MalformedMessageException.class).isThrownBy(() -> {
            MemorySegment message = MemorySegment.ofArray(encode(STATUS));
            message.set(MessageLayout.U32, 60, statusBytes);
            MessageCodec.decode(message);
        });
    }

    @Test
    void anErrorStatusOfOkIsRefused() {
        assertRefused(STATUS, m -> m.set(MessageLayout.U32, 56, 0), "status_code", "0");
    }

    @Test
    void anErrorCodeOfALaterVersionIsUnknown() {
        MemorySegment message = MemorySegment.ofArray(encode(STATUS));
        message.set(MessageLayout.U32, 56, 4711);
        assertThat(((ErrorStatus) MessageCodec.decode(message)).code()).isEqualTo(StatusCode.UNKNOWN);
    }

    @Test
    void dirtyPaddingIsRefused() {
        assertRefused(REQUEST, m -> m.set(MessageLayout.U8, 95, (byte) 1), "the padding at 95", "1");
    }

    @Test
    void aRankOverTheLimitIsRefused() {
        assertRefused(REQUEST, m -> m.set(MessageLayout.U8, 53, (byte) 255), "rank", "255");
    }

    @Test
    void nothingAtAllIsRefused() {
        assertThatExceptionOfType(MalformedMessageException.class)
                .isThrownBy(() -> MessageCodec.decode(MemorySegment.NULL))
                .withMessageContaining("0 bytes long");
    }
}
