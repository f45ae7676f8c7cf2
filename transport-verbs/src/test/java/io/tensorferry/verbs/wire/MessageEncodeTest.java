package io.tensorferry.verbs.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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
import io.tensorferry.verbs.wire.Message.ErrorStatus;
import io.tensorferry.verbs.wire.Message.MetaDataResponse;
import io.tensorferry.verbs.wire.Message.OfPart;
import io.tensorferry.verbs.wire.Message.PartGrant;
import io.tensorferry.verbs.wire.Message.PartOpen;
import io.tensorferry.verbs.wire.Message.PartStatus;
import io.tensorferry.verbs.wire.Message.TensorReRequest;
import io.tensorferry.verbs.wire.Message.TensorRequest;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class MessageEncodeTest {
    private static final int INDEX = RequestIndex.of(0, 0);
    private static final TensorMetaData MATRIX = TensorMetaData.of(DataType.FLOAT, Shape.of(2, 3));
    private static final TensorMetaData STRINGS = new TensorMetaData(DataType.STRING, Shape.of(2, 3), false, 8);

    @Test
    void aKeyThatDoesNotFitTheSlotIsRefusedAndNothingIsWritten() {
        byte[] slot = new byte[512];
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MessageCodec.encode(request("k".repeat(449)), MemorySegment.ofArray(slot)))
                .withMessageContaining("520")
                .withMessageContaining("512");
        assertThat(slot).containsOnly(0);
        assertThat(MessageCodec.encode(request("k".repeat(448)), MemorySegment.ofArray(slot)))
                .isEqualTo(512);
    }

    @Test
    void theLongestKeyTakes65535Bytes() {
        byte[] slot = new byte[MessageCodec.MAX_MESSAGE_BYTES];
        Message longest = request("k".repeat(65535));
        MessageCodec.encode(longest, MemorySegment.ofArray(slot));
        assertThat(MessageCodec.decode(MemorySegment.ofArray(slot))).isEqualTo(longest);
        Message threeBytesEach = request("€".repeat(21845));
        MessageCodec.encode(threeBytesEach, MemorySegment.ofArray(slot));
        assertThat(MessageCodec.decode(MemorySegment.ofArray(slot))).isEqualTo(threeBytesEach);
        for (String tooLong : new String[] {"k".repeat(65536), "€".repeat(21846), "k".repeat(65533) + "😀"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MessageCodec.encodedSize(request(tooLong)))
                    .withMessageContaining("65535");
        }
    }

    @Test
    void theLargestRankIsEncoded() {
        long[] dimensions = new long[Shape.MAX_RANK];
        Arrays.fill(dimensions, 1);
        Message message =
                new TensorReRequest(1, INDEX, TensorMetaData.of(DataType.COMPLEX128, Shape.of(dimensions)), 0x1000, 1);
        byte[] slot = new byte[MessageCodec.encodedSize(message)];
        MessageCodec.encode(message, MemorySegment.ofArray(slot));
        assertThat(MessageCodec.decode(MemorySegment.ofArray(slot))).isEqualTo(message);
    }

    @Test
    void aStatusMessageIsNeverCutInsideACharacter() {
        assertThat(cut("aaaaaa😀", 72)).isEqualTo("aaaaaa");
        assertThat(cut("aaaa😀b", 72)).isEqualTo("aaaa😀");
        assertThat(cut("éééééé", 72)).isEqualTo("éééé");
        assertThat(cut("anything", 64)).isEmpty();
        assertThat(cut("x".repeat(70_000), 100_000)).hasSize(65535);
    }

    @Test
    void aSlotSmallerThanAHeaderTakesNoMessage() {
        assertThat(MessageCodec.maxStatusBytes(63)).isZero();
        assertThat(MessageCodec.maxStatusBytes(0)).isZero();
        assertThat(MessageCodec.maxStatusBytes(71)).isZero();
        assertThat(MessageCodec.maxStatusBytes(72)).isEqualTo(8);
        assertThat(MessageCodec.maxStatusBytes(Long.MAX_VALUE)).isEqualTo(65535);
        assertThatIllegalArgumentException().isThrownBy(() -> cut("x", 63));
    }

    @Test
    void whatFitsIsWhatIsEncoded() {
        assertThat(request("k".repeat(448)).shortestSize()).isLessThanOrEqualTo(512);
        assertThat(request("k".repeat(449)).shortestSize()).isGreaterThan(512);
        Message status = new ErrorStatus(1, INDEX, Direction.TO_RECEIVER, StatusCode.ABORTED, "long".repeat(1000));
        assertThat(status.shortestSize()).isLessThanOrEqualTo(64);
        assertThat(status.shortestSize()).isGreaterThan(63);
        assertThat(MessageCodec.encode(status, MemorySegment.ofArray(new byte[64])))
                .isEqualTo(64);
    }

    @Test
    void messagesThatBreakTheProtocolCannotBeMade() {
        assertThatIllegalArgumentException().isThrownBy(() -> request(""));
        assertThatIllegalArgumentException().isThrownBy(() -> request("lone \ud800 surrogate"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TensorRequest(1, Immediate.CONTROL_MESSAGE, "k", null, 0, 0, false));
        assertThatIllegalArgumentException().isThrownBy(() -> new TensorRequest(1, INDEX, "k", null, 0x1000, 0, false));
        assertThatIllegalArgumentException().isThrownBy(() -> new TensorReRequest(1, INDEX, MATRIX, 0, 7));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TensorReRequest(1, INDEX, TensorMetaData.ofDead(), 0x1000, 7));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MetaDataResponse(1, INDEX, MATRIX, OptionalLong.of(-1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ErrorStatus(1, INDEX, Direction.TO_SENDER, StatusCode.OK, ""));
    }

    @Test
    void messagesOfPiecesThatBreakTheProtocolCannotBeMade() {
        assertThat(new TensorReRequest(1, INDEX, MATRIX, 0, 0, true).inPieces()).isTrue();
        assertThat(new TensorReRequest(1, INDEX, MATRIX, 0x1000, 7).inPieces()).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TensorReRequest(1, INDEX, MATRIX, 0x1000, 0, true))
                .withMessageContaining("0x1000");
        assertThatIllegalArgumentException().isThrownBy(() -> new TensorReRequest(1, INDEX, MATRIX, 0, 7, true));
        TensorMetaData empty = TensorMetaData.of(DataType.FLOAT, Shape.of(0));
        for (TensorMetaData none : new TensorMetaData[] {STRINGS, TensorMetaData.ofDead(), empty}) {
            assertThatIllegalArgumentException().isThrownBy(() -> new TensorReRequest(1, INDEX, none, 0, 0, true));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> piece(Immediate.CONTROL_MESSAGE, 0, 1, 0x1000));
        assertThatIllegalArgumentException().isThrownBy(() -> piece(INDEX, -1, 1, 0x1000));
        assertThatIllegalArgumentException().isThrownBy(() -> piece(INDEX, 0, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> piece(INDEX, 0, -1, 0x1000));
        assertThatIllegalArgumentException().isThrownBy(() -> piece(INDEX, 0, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> piece(INDEX, 0, 2, -1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MessageCodec.encode(piece(INDEX, 0, 1, 1), MemorySegment.ofArray(new byte[32])))
                .withMessageContaining("40");
    }

    private static Message piece(int index, int number, int bytes, long address) {
        return new Message.TensorPiece(1, index, number, bytes, address, 7);
    }

    @Test
    void messagesOfEdgesThatBreakTheProtocolCannotBeMade() {
        for (int edge : new int[] {-1, Immediate.EDGES}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new EdgeOffer(edge, "k", MATRIX, 1, true, false, 5, 0, 0, 0x1000, 7))
                    .withMessageContaining("edge");
            assertThatIllegalArgumentException().isThrownBy(() -> new EdgeCredit(edge, 0));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new EdgeStatus(edge, 0, Direction.TO_RECEIVER, StatusCode.OK, ""));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> offer("", MATRIX, 1, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> offer("lone \ud800 surrogate", MATRIX, 1, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> offer("k", TensorMetaData.ofDead(), 1, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> offer("k", MATRIX, 0, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> offer("k", MATRIX, 3, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> offer("k", MATRIX, 1, -1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> offer("k", MATRIX, 2, 1, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> offer("k", MATRIX, 1, 2, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> offer("k", MATRIX, 1, 2, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> offer("k", STRINGS, 1, 0, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EdgeOffer(0, "k", MATRIX, 1, true, false, 5, 0, 0, 0, 7));
        assertThatIllegalArgumentException().isThrownBy(() -> new EdgeCredit(0, -1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EdgeStatus(0, -1, Direction.TO_RECEIVER, StatusCode.OK, ""));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EdgeStatus(0, 0, Direction.TO_SENDER, StatusCode.OK, ""));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EdgeStatus(0, 1, Direction.TO_SENDER, StatusCode.ABORTED, ""));
    }

    @Test
    void theKeyOfAnOfferIsBounded() {
        Message longest = offer("k".repeat(496), MATRIX, 1, 0, 0);
        assertThat(MessageCodec.encodedSize(longest)).isEqualTo(576);
        byte[] slot = new byte[576];
        MessageCodec.encode(longest, MemorySegment.ofArray(slot));
        assertThat(MessageCodec.decode(MemorySegment.ofArray(slot))).isEqualTo(longest);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> offer("k".repeat(497), MATRIX, 1, 0, 0))
                .withMessageContaining("too long");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> offer("€".repeat(166), MATRIX, 1, 0, 0))
                .withMessageContaining("too long");
    }

    @Test
    void anOfferOrACreditThatDoesNotFitTheSlotIsRefusedAndNothingIsWritten() {
        byte[] slot = new byte[80];
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MessageCodec.encode(offer("k", MATRIX, 1, 0, 0), MemorySegment.ofArray(slot)))
                .withMessageContaining("88")
                .withMessageContaining("80");
        assertThat(slot).containsOnly(0);
        byte[] small = new byte[16];
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MessageCodec.encode(new EdgeCredit(1, 1), MemorySegment.ofArray(small)));
        assertThat(small).containsOnly(0);
    }

    @Test
    void whyAnEdgeEndsIsCutToTheSlot() {
        Message end = new EdgeStatus(1, 2, Direction.TO_RECEIVER, StatusCode.ABORTED, "aaaaaa😀");
        assertThat(end.shortestSize()).isEqualTo(64);
        byte[] slot = new byte[72];
        assertThat(MessageCodec.encode(end, MemorySegment.ofArray(slot))).isEqualTo(72);
        assertThat(((EdgeStatus) MessageCodec.decode(MemorySegment.ofArray(slot))).message())
                .isEqualTo("aaaaaa");
    }

    @Test
    void messagesOfDynamicEdgesThatBreakTheProtocolCannotBeMade() {
        for (int edge : new int[] {-1, Immediate.EDGES}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new DynamicOffer(edge, "k", 1, 1, false, 5, 0))
                    .withMessageContaining("edge");
            assertThatIllegalArgumentException().isThrownBy(() -> new EdgeTensor(edge, 0, MATRIX, 0x1000, 7));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> dynamic("", 1, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> dynamic("lone \ud800 surrogate", 1, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> dynamic("k", 0, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> dynamic("k", 65_536, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> dynamic("k", 1, -1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> dynamic("k", 1, 1, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> new EdgeTensor(0, -1, MATRIX, 0x1000, 7));
        assertThatIllegalArgumentException().isThrownBy(() -> new EdgeTensor(0, 0, MATRIX, 0, 7));
        assertThatIllegalArgumentException().isThrownBy(() -> new EdgeTensor(0, 0, TensorMetaData.ofDead(), 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new EdgeTensor(0, 0, STRINGS, 0x1000, 7));
    }

    @Test
    void messagesOfPartsThatBreakTheProtocolCannotBeMade() {
        for (int part : new int[] {-1, OfPart.COUNT}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new PartOpen(part, "n", MATRIX))
                    .withMessageContaining("part");
            assertThatIllegalArgumentException().isThrownBy(() -> new PartGrant(part, 0, 0, 0, 0));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new PartStatus(part, Direction.TO_SENDER, StatusCode.ABORTED, ""));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> new PartOpen(0, "", MATRIX));
        assertThatIllegalArgumentException().isThrownBy(() -> new PartOpen(0, "lone \ud800 surrogate", MATRIX));
        assertThatIllegalArgumentException().isThrownBy(() -> new PartOpen(0, "n", STRINGS));
        var dead = new TensorMetaData(DataType.FLOAT, Shape.of(2, 3), true, 0);
        assertThatIllegalArgumentException().isThrownBy(() -> new PartOpen(0, "n", dead));
        for (Shape shape : new Shape[] {Shape.of(), Shape.of(6), Shape.of(1, 2, 3)}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new PartOpen(0, "n", TensorMetaData.of(DataType.FLOAT, shape)))
                    .withMessageContaining("rows");
        }
        assertThatIllegalArgumentException().isThrownBy(() -> new PartGrant(0, -1, 8, 0x1000, 7));
        assertThatIllegalArgumentException().isThrownBy(() -> new PartGrant(0, 0, -1, 0x1000, 7));
        assertThatIllegalArgumentException().isThrownBy(() -> new PartGrant(0, 0, 8, 0, 7));
        assertThatIllegalArgumentException().isThrownBy(() -> new PartGrant(0, 0, 8, -7, 7));
        assertThatIllegalArgumentException().isThrownBy(() -> new PartGrant(0, 0, 0, 0, 7));
        for (Direction direction : Direction.values()) {
            assertThatIllegalArgumentException().isThrownBy(() -> new PartStatus(0, direction, StatusCode.OK, ""));
        }
    }

    @Test
    void theNamesOfDynamicEdgesAndPartsAreBounded() {
        assertThat(MessageCodec.encodedSize(dynamic("k".repeat(512), 1, 1, 0))).isEqualTo(576);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> dynamic("k".repeat(513), 1, 1, 0))
                .withMessageContaining("too long");
        assertThat(MessageCodec.encodedSize(new PartOpen(0, "n".repeat(496), MATRIX)))
                .isEqualTo(576);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PartOpen(0, "n".repeat(497), MATRIX))
                .withMessageContaining("too long");
    }

    @Test
    void aMessageOfADynamicEdgeOrAPartThatDoesNotFitTheSlotIsRefusedAndNothingIsWritten() {
        for (Message message : new Message[] {
            dynamic("k", 1, 1, 0),
            new EdgeTensor(1, 0, MATRIX, 0x1000, 7),
            new PartOpen(1, "n", MATRIX),
            new PartGrant(1, 0, 8, 0x1000, 7),
            new PartStatus(1, Direction.TO_SENDER, StatusCode.ABORTED, "")
        }) {
            int length = MessageCodec.encodedSize(message);
            byte[] slot = new byte[length - 8];
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MessageCodec.encode(message, MemorySegment.ofArray(slot)))
                    .withMessageContaining("" + length)
                    .withMessageContaining("" + slot.length);
            assertThat(slot).containsOnly(0);
        }
    }

    @Test
    void whyAPartEndsIsCutToTheSlot() {
        Message end = new PartStatus(1, Direction.TO_RECEIVER, StatusCode.ABORTED, "aaaaaa😀");
        assertThat(end.shortestSize()).isEqualTo(64);
        byte[] slot = new byte[72];
        assertThat(MessageCodec.encode(end, MemorySegment.ofArray(slot))).isEqualTo(72);
        assertThat(((PartStatus) MessageCodec.decode(MemorySegment.ofArray(slot))).message())
                .isEqualTo("aaaaaa");
    }

    /// A message that a peer can cause by a request counts as an answer: the limit of answers bounds their queue.
    @Test
    void whatTheOwnerOfAPartSaysIsAnAnswer() {
        assertThat(new PartGrant(1, 0, 8, 0x1000, 7).isAnswer()).isTrue();
        assertThat(new PartStatus(1, Direction.TO_RECEIVER, StatusCode.ABORTED, "").isAnswer())
                .isTrue();
        assertThat(new PartStatus(1, Direction.TO_SENDER, StatusCode.ABORTED, "").isAnswer())
                .isFalse();
        assertThat(new PartOpen(1, "n", MATRIX).isAnswer()).isFalse();
        assertThat(new EdgeTensor(1, 0, MATRIX, 0x1000, 7).isAnswer()).isFalse();
    }

    private static Message dynamic(String key, int slots, long largestBytes, long received) {
        return new DynamicOffer(1, key, slots, largestBytes, false, 5, received);
    }

    private static Message offer(String key, TensorMetaData metaData, int places, long received, int unreleased) {
        return new EdgeOffer(1, key, metaData, places, true, false, 5, received, unreleased, 0x1000, 7);
    }

    @Test
    void aMessageThatChangesWhileItIsDecodedIsAMessageOrRefused() throws InterruptedException {
        MemorySegment slot = MemorySegment.ofArray(new byte[1024]);
        int length = MessageCodec.encode(request("k".repeat(300)), slot);
        var peer = Thread.ofPlatform().daemon().start(() -> {
            for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                slot.set(MessageLayout.U32, MessageLayout.LENGTH, i % 3 == 0 ? length : i % 1100);
                slot.set(MessageLayout.U16, MessageLayout.NAME_SIZE, (short) (i % 5 == 0 ? 300 : i % 2000));
            }
        });
        for (int i = 0; i < 200_000; i++) {
            try {
                assertThat(MessageCodec.decode(slot))
                        .isInstanceOfSatisfying(
                                Message.OfRequest.class,
                                message -> assertThat(message.stepId()).isEqualTo(1));
            } catch (MalformedMessageException e) {
                assertThat(e.field()).isNotEmpty();
            }
        }
        peer.interrupt();
        peer.join();
    }

    private static Message request(String key) {
        return new TensorRequest(1, INDEX, key, null, 0, 0, false);
    }

    private static String cut(String text, int slotBytes) {
        byte[] slot = new byte[slotBytes];
        MessageCodec.encode(
                new ErrorStatus(1, INDEX, Direction.TO_RECEIVER, StatusCode.INTERNAL, text),
                MemorySegment.ofArray(slot));
        return ((ErrorStatus) MessageCodec.decode(MemorySegment.ofArray(slot))).message();
    }
}
