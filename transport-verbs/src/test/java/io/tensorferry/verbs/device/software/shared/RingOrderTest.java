package io.tensorferry.verbs.device.software.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.bindings.MemoryFile;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.software.core.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The order in which each end of a ring stores and loads, in program order. The other end acts in the middle of an
/// operation, at a chosen store. What the processor and the compiler make of that order is for jcstress.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RingOrderTest {
    private static final int LINE = 70;
    private static final int KIND = RequestKind.of(SendWorkRequest.Opcode.RDMA_WRITE) | RingFile.STAGED;

    private final MemorySegment memory = Arena.ofAuto().allocate(RingFile.AT_READS + RingFile.READ_BYTES, Long.BYTES);
    private final DeviceFile device =
            DeviceFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(8192, Long.BYTES)));
    private final List<String> events = new ArrayList<>();

    private static Request numbered(int number) {
        var request = new Request();
        request.sequence = number;
        request.remoteKey = number + 1;
        request.immediate = number + 2;
        request.remoteAddress = number + 3L;
        request.length = number + 4L;
        return request;
    }

    private static void fill(RequestWriter writer) {
        for (int i = 0; i < RingFile.REQUESTS; i++) {
            assertThat(writer.hasRoom()).isTrue();
            writer.put(KIND, numbered(i));
        }
    }

    @Test
    void aRequestIsCompleteWhenItsCountIsStored() {
        var ring = new RingFile(memory) {
            private final RequestReader peer = new RequestReader(this);

            @Override
            void setTail(long count) {
                for (; peer.head() < count; peer.take()) {
                    var read = new Request();
                    peer.read(read);
                    assertThat(peer.kind()).isEqualTo(KIND);
                    assertThat(read).usingRecursiveComparison().isEqualTo(numbered((int) peer.head()));
                    assertThat(peer.place()).isEqualTo(64 * peer.head());
                    assertThat(peer.fileIndex()).isEqualTo((int) peer.head());
                    assertThat(peer.fileNumber()).isEqualTo(-peer.head());
                }
                super.setTail(count);
                events.add("published " + count);
            }
        };
        var writer = new RequestWriter(ring);
        for (int i = 0; i < 5; i++) {
            writer.putInFile(64L * i, i, -i);
            writer.put(KIND, numbered(i));
            assertThat(writer.published()).isEqualTo(i - i % 2L);
            assertThat(ring.tail()).as("before it is published").isEqualTo(i - i % 2L);
            if (i % 2 == 1) {
                assertThat(writer.publish()).isTrue();
                assertThat(writer.publish()).as("again").isFalse();
            }
        }
        assertThat(writer.publish()).isTrue();
        assertThat(events).containsExactly("published 2", "published 4", "published 5");
    }

    @Test
    void aRequestThatIsNotPublishedIsNotRead() {
        var ring = new RingFile(memory);
        var writer = new RequestWriter(ring);
        var reader = new RequestReader(ring);
        writer.put(KIND, numbered(0));
        assertThat(reader.waiting()).isZero();
        writer.publish();
        assertThat(reader.waiting()).isEqualTo(1);
        reader.take();
        assertThat(reader.waiting()).isZero();
    }

    /// A ring whose responder publishes a count after the requester's first look at it and before the store of the
    /// flag, so that the responder does not see the flag.
    private RingFile withResponderThatMakesRoom(Runnable makesRoom) {
        return new RingFile(memory) {
            @Override
            void setWantsRoom(boolean wants) {
                if (wants) {
                    makesRoom.run();
                }
                super.setWantsRoom(wants);
            }
        };
    }

    private void responderPublishes(long head, long stagedHead) {
        var answers = new AnswerWriter(new RingFile(memory), device, LINE);
        assertThat(answers.publish(head, stagedHead, head, false))
                .as("it sees no flag, and does not wake the requester")
                .isFalse();
    }

    @Test
    void aFullRingOfWhichARequestIsTakenMeanwhileHasRoom() {
        RingFile ring = withResponderThatMakesRoom(() -> responderPublishes(1, 0));
        var writer = new RequestWriter(ring);
        fill(writer);
        assertThat(writer.hasRoom())
                .as("the responder has made room and does not signal it again")
                .isTrue();
        assertThat(ring.wantsRoom()).as("nobody waits").isFalse();
    }

    @Test
    void aFullRingWaitsAndTheResponderSeesIt() {
        var ring = new RingFile(memory);
        var writer = new RequestWriter(ring);
        fill(writer);
        assertThat(writer.hasRoom()).isFalse();
        var answers = new AnswerWriter(ring, device, LINE);
        assertThat(answers.publish(1, 0, 1, false)).as("it wakes the requester").isTrue();
        assertThat(writer.hasRoom()).isTrue();
        writer.put(KIND, numbered(1));
        assertThat(writer.hasRoom()).isFalse();
    }

    @Test
    void aFullStreamOfWhichBytesAreTakenMeanwhileHasRoom() {
        RingFile ring = withResponderThatMakesRoom(() -> responderPublishes(0, 64));
        var writer = new RequestWriter(ring);
        assertThat(writer.stagedRoom(RingFile.STAGING_BYTES, 0, 1000))
                .as("the responder has made room and does not signal it again")
                .isEqualTo(64);
        assertThat(ring.wantsRoom()).as("nobody waits").isFalse();
    }

    @Test
    void aFullStreamWaitsAndTheResponderSeesIt() {
        var ring = new RingFile(memory);
        var writer = new RequestWriter(ring);
        assertThat(writer.stagedRoom(RingFile.STAGING_BYTES - 10, 0, 1000)).isEqualTo(10);
        assertThat(ring.wantsRoom()).isFalse();
        assertThat(writer.stagedRoom(RingFile.STAGING_BYTES, 0, 1000)).isZero();
        assertThat(new AnswerWriter(ring, device, LINE).publish(0, 64, 0, false))
                .as("it wakes the requester")
                .isTrue();
        assertThat(writer.stagedRoom(RingFile.STAGING_BYTES, 0, 1000)).isEqualTo(64);
    }

    @Test
    void aCountOfTakenBytesThatLeadsTheStagedOnesIsInvalid() {
        var ring = new RingFile(memory);
        ring.setStagedHead(65);
        assertThat(new RequestWriter(ring).stagedRoom(64, 0, 1000)).isNegative();
    }

    @Test
    void aResponderLooksAtTheFlagAfterItHasPublishedAndMarked() {
        var ring = new RingFile(memory) {
            @Override
            boolean wantsRoom() {
                assertThat(head()).isEqualTo(3);
                assertThat(stagedHead()).isEqualTo(192);
                assertThat(executed()).isEqualTo(2);
                assertThat(device.isMarked()).isTrue();
                events.add("looked");
                return super.wantsRoom();
            }
        };
        var answers = new AnswerWriter(ring, device, LINE);
        assertThat(answers.publish(3, 192, 2, false)).isFalse();
        assertThat(events).containsExactly("looked");
        assertThat(answers.publish(3, 192, 2, true)).as("it is awaited").isTrue();
    }

    @Test
    void aRefusalIsStoredBeforeTheLineIsMarked() {
        var ring = new RingFile(memory) {
            @Override
            void setRefusal(long status) {
                assertThat(device.isMarked()).isFalse();
                super.setRefusal(status);
            }
        };
        new AnswerWriter(ring, device, LINE).refuse(9);
        assertThat(ring.refusal()).isEqualTo(9);
        assertThat(device.isMarked()).isTrue();
    }

    /// Each load of the requester is followed by all that the responder has left to publish.
    @Test
    void aRefusalIsNotSeenWithoutTheRequestsExecutedBeforeIt() {
        var ring = new RingFile(memory) {
            @Override
            long refusal() {
                long seen = super.refusal();
                publishTheRest();
                return seen;
            }

            @Override
            long executed() {
                long seen = super.executed();
                publishTheRest();
                return seen;
            }

            private void publishTheRest() {
                var answers = new AnswerWriter(new RingFile(memory), device, LINE);
                answers.publish(1, 0, 1, false);
                answers.refuse(9);
            }
        };
        var answers = new AnswerReader(ring);
        answers.read();
        assertThat(answers.refusal())
                .as("a refusal that came after the first look")
                .isZero();
        assertThat(answers.executed()).isEqualTo(1);
        answers.read();
        assertThat(answers.refusal()).isEqualTo(9);
        assertThat(answers.executed()).isEqualTo(1);
    }
}
