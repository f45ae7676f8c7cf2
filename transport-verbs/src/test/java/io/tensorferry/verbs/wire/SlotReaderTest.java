package io.tensorferry.verbs.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.StatusCode;
import io.tensorferry.testing.Property;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Several messages in one slot: each is read as it was written, and no bytes lead out of the slot, even those that
/// change while they are read.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SlotReaderTest {
    private static final int SLOT_BYTES = 1 << 16;
    private static final long SEED = 0x51075;

    private static List<Message> readAll(SlotReader reader, MemorySegment ring, long slot) {
        var messages = new ArrayList<Message>();
        reader.open(ring, slot);
        do {
            messages.add(reader.nextMessage());
        } while (reader.hasMore());
        return messages;
    }

    /// Returns the number of bytes that they take.
    private static int write(List<Message> messages, MemorySegment ring, long slot) {
        int length = 0;
        int last = 0;
        for (Message message : messages) {
            if (length > 0) {
                MessageCodec.markFollowed(ring, slot + last);
            }
            last = length;
            length += message.encode(ring, slot + length, (int) Math.min(SLOT_BYTES, ring.byteSize() - slot) - length);
        }
        return length;
    }

    @Test
    void whatIsWrittenTogetherIsReadOneAfterTheOther() {
        Property.check(300, draw -> assertReadOneAfterTheOther(draw.list(1, 12, () -> Messages.any(draw))));
    }

    private static void assertReadOneAfterTheOther(List<Message> messages) {
        MemorySegment ring =
                MemorySegment.ofArray(new long[2 * SLOT_BYTES / Long.BYTES]).fill((byte) 0xAA);
        var fitting = new ArrayList<Message>();
        int room = SLOT_BYTES;
        for (Message message : messages) {
            if (message.encodedSize() <= room) {
                room -= message.encodedSize();
                fitting.add(message);
            }
        }
        if (fitting.isEmpty()) {
            return;
        }
        write(fitting, ring, SLOT_BYTES);
        assertThat(readAll(new SlotReader(SLOT_BYTES), ring, SLOT_BYTES)).isEqualTo(fitting);
    }

    @Test
    void aCreditAmongOthersIsReadWithoutAnObject() {
        MemorySegment ring =
                MemorySegment.ofArray(new long[2 * SLOT_BYTES / Long.BYTES]).fill((byte) 0xAA);
        var end = new Message.EdgeStatus(6, 9, Message.Direction.TO_RECEIVER, StatusCode.ABORTED, "closed");
        write(
                List.of(
                        new Message.EdgeCredit(5, 7),
                        new Message.Heartbeat(),
                        new Message.EdgeCredit(Immediate.EDGES - 1, Long.MAX_VALUE),
                        new Message.EdgeCredit(0, 0),
                        end),
                ring,
                SLOT_BYTES);
        var reader = new SlotReader(SLOT_BYTES);
        reader.open(ring, SLOT_BYTES);
        assertCredit(reader, 5, 7);
        assertThat(reader.next()).isEqualTo(SlotReader.Kind.OTHER);
        assertThat(reader.message()).isEqualTo(new Message.Heartbeat());
        assertCredit(reader, Immediate.EDGES - 1, Long.MAX_VALUE);
        assertCredit(reader, 0, 0);
        assertThat(reader.next()).isEqualTo(SlotReader.Kind.OTHER);
        assertThat(reader.message()).isEqualTo(end);
        assertThat(reader.hasMore()).isFalse();
    }

    /// The same bytes whether a message is made of them or not.
    @Test
    void aCreditThatIsNotMadeIsWrittenAsOneThatIs() {
        MemorySegment made = MemorySegment.ofArray(new byte[MessageCodec.EDGE_CREDIT_BYTES]);
        MemorySegment notMade = MemorySegment.ofArray(new byte[MessageCodec.EDGE_CREDIT_BYTES]);
        MessageCodec.encode(new Message.EdgeCredit(513, 1L << 40), made);
        assertThat(MessageCodec.encodeEdgeCredit(notMade, 0, 513, 1L << 40)).isEqualTo(made.byteSize());
        assertThat(notMade.mismatch(made)).isEqualTo(-1);
    }

    private static void assertCredit(SlotReader reader, int edge, long released) {
        assertThat(reader.hasMore()).isTrue();
        assertThat(reader.next()).isEqualTo(SlotReader.Kind.EDGE_CREDIT);
        assertThat(reader.edge()).isEqualTo(edge);
        assertThat(reader.edgeCount()).isEqualTo(released);
    }

    @Test
    void aSlotThatIsFullToTheLastByteIsRead() {
        MemorySegment ring = MemorySegment.ofArray(new long[SLOT_BYTES / Long.BYTES]);
        var messages = new ArrayList<Message>();
        for (int i = 0; i < SLOT_BYTES / 64; i++) {
            messages.add(new Message.Heartbeat());
        }
        assertThat(write(messages, ring, 0)).isEqualTo(SLOT_BYTES);
        assertThat(readAll(new SlotReader(SLOT_BYTES), ring, 0)).isEqualTo(messages);
        MessageCodec.markFollowed(ring, SLOT_BYTES - 64);
        assertThatExceptionOfType(MalformedMessageException.class)
                .isThrownBy(() -> readAll(new SlotReader(SLOT_BYTES), ring, 0));
    }

    /// The bytes behind each room that is too small for a message.
    @Test
    void whatFollowsMustHaveRoomForAMessage() {
        for (int room = 0; room < MessageCodec.MIN_MESSAGE_BYTES; room += 8) {
            int slotBytes = 64 + room;
            MemorySegment ring = MemorySegment.ofArray(new long[slotBytes / Long.BYTES]);
            new Message.Heartbeat().encode(ring, 0, slotBytes);
            if (room >= 8) {
                // It would be a message if more bytes followed.
                MemorySegment.copy(ring, 0, ring, 64, 8);
            }
            MessageCodec.markFollowed(ring, 0);
            assertThatExceptionOfType(MalformedMessageException.class)
                    .isThrownBy(() -> readAll(new SlotReader(slotBytes), ring, 0));
        }
    }

    /// A peer that writes the slot meanwhile: each message is still valid or malformed.
    @Test
    void bytesThatChangeWhileTheyAreReadAreMessagesOrMalformed() throws InterruptedException {
        try (var arena = Arena.ofShared()) {
            MemorySegment ring = arena.allocate(4096, 8);
            var stop = new AtomicBoolean();
            Thread writer = Thread.ofPlatform().start(() -> {
                var random = new SplittableRandom(SEED);
                while (!stop.get()) {
                    ring.set(ValueLayout.JAVA_INT, 4, 64 << random.nextInt(8));
                    ring.set(ValueLayout.JAVA_BYTE, 3, (byte) (random.nextBoolean() ? 4 : 0x84));
                }
            });
            try {
                var reader = new SlotReader(4096);
                int read = 0;
                for (int i = 0; i < 200_000; i++) {
                    if (i % 100 == 0) {
                        write(List.of(new Message.Heartbeat(), new Message.Heartbeat()), ring, 0);
                    }
                    try {
                        read += readAll(reader, ring, 0).size();
                    } catch (MalformedMessageException _) {
                        // The correct value.
                    }
                }
                assertThat(read).isPositive();
            } finally {
                stop.set(true);
                writer.join();
            }
        }
    }
}
