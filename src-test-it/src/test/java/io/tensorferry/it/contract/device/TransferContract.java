package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Every kind of request puts the right bytes in the right place and completes as the man pages say.
abstract class TransferContract extends DeviceContract {
    private static final long GUARD = 64;

    /// The largest message that the test moves: the device's, or what a test can afford.
    private long largest() {
        return Math.min(64L << 20, fixture.first().port(fixture.port()).maxMessageBytes());
    }

    private void connectWithRoomFor(long bytes) {
        connect(settings -> settings.bytes = bytes + 2 * GUARD);
        fill(one.memory, bytes);
        fill(other.memory, ~bytes);
    }

    private void assertNothingElseWasWritten(Endpoint endpoint, long bytes, long seed) {
        var expected = Arena.ofAuto().allocate(endpoint.memory.byteSize());
        fill(expected, seed);
        assertSame(endpoint.memory.asSlice(0, GUARD), expected.asSlice(0, GUARD));
        assertSame(endpoint.memory.asSlice(GUARD + bytes), expected.asSlice(GUARD + bytes));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 63, 64, 4095, 4096, 4097, 65_536, 1_000_003, 16 << 20})
    void writes(long bytes) {
        connectWithRoomFor(bytes);
        one.write(7, GUARD, bytes, other, GUARD);
        Completion completion = onlyCompletion(one);
        assertThat(completion.status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(completion.opcode()).isEqualTo(WorkCompletion.Opcode.RDMA_WRITE);
        assertThat(completion.workId()).isEqualTo(7);
        assertThat(completion.queuePairNumber()).isEqualTo(one.queuePair.number());
        assertSame(other.memory.asSlice(GUARD, bytes), one.memory.asSlice(GUARD, bytes));
        assertNothingElseWasWritten(other, bytes, ~bytes);
        assertThat(other.poll()).as("completions at the target").isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 4097, 1_000_003})
    void reads(long bytes) {
        connectWithRoomFor(bytes);
        one.read(8, GUARD, bytes, other, GUARD);
        Completion completion = onlyCompletion(one);
        assertThat(completion.status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(completion.opcode()).isEqualTo(WorkCompletion.Opcode.RDMA_READ);
        assertSame(one.memory.asSlice(GUARD, bytes), other.memory.asSlice(GUARD, bytes));
        assertNothingElseWasWritten(one, bytes, bytes);
        assertThat(other.poll()).as("completions at the target").isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4097, 1_000_003})
    void sends(long bytes) {
        connectWithRoomFor(bytes);
        other.receive(20, GUARD, bytes);
        one.send(9, GUARD, bytes);
        Completion sent = onlyCompletion(one);
        assertThat(sent.status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(sent.opcode()).isEqualTo(WorkCompletion.Opcode.SEND);
        assertThat(onlyCompletion(other))
                .isEqualTo(new Completion(
                        20,
                        WorkStatus.SUCCESS,
                        WorkCompletion.Opcode.RECEIVE,
                        bytes,
                        false,
                        0,
                        other.queuePair.number()));
        assertSame(other.memory.asSlice(GUARD, bytes), one.memory.asSlice(GUARD, bytes));
        assertNothingElseWasWritten(other, bytes, ~bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 0x7FFF_FFFF, 0x8000_0000, 0x0102_0304, 0xFFFF_FFFE, 0xFFFF_FFFF})
    void carriesImmediates(int immediate) {
        connectWithRoomFor(1000);
        other.queuePair.postReceive(30);
        other.receive(31, 0, 1000);
        one.writeWithImmediate(1, GUARD, 1000, other, GUARD, immediate);
        one.sendWithImmediate(2, 0, 10, immediate);
        awaitCompletions(one, 2);
        awaitCompletions(other, 2);
        int number = other.queuePair.number();
        assertThat(other.completed)
                .containsExactly(
                        new Completion(
                                30,
                                WorkStatus.SUCCESS,
                                WorkCompletion.Opcode.RECEIVE_RDMA_WITH_IMM,
                                1000,
                                true,
                                immediate,
                                number),
                        new Completion(
                                31, WorkStatus.SUCCESS, WorkCompletion.Opcode.RECEIVE, 10, true, immediate, number));
        assertThat(one.completed)
                .extracting(Completion::opcode)
                .containsExactly(WorkCompletion.Opcode.RDMA_WRITE, WorkCompletion.Opcode.SEND);
        assertThat(one.completed)
                .extracting(Completion::hasImmediate)
                .as("an immediate at the sender")
                .containsOnly(false);
    }

    /// A device says in two steps that a READ is done, the data and then that it is executed, and the next one's data
    /// may come in between.
    @Test
    void manyReadsAtATimeSucceed() {
        int reads = 16;
        int bytes = 4096;
        connect(settings -> settings.maxReads = reads);
        fill(other.memory, 1);
        for (int done = 0; done < 200 * reads; done += reads) {
            for (int i = 0; i < reads; i++) {
                one.read(done + i, (long) i * bytes, bytes, other, (long) (reads - 1 - i) * bytes);
            }
            awaitCompletions(one, done + reads);
        }
        assertThat(one.completed).extracting(Completion::status).containsOnly(WorkStatus.SUCCESS);
        for (int i = 0; i < reads; i++) {
            assertSame(
                    one.memory.asSlice((long) i * bytes, bytes),
                    other.memory.asSlice((long) (reads - 1 - i) * bytes, bytes));
        }
    }

    @Test
    void aShorterMessageLeavesTheRestOfItsReceiveAlone() {
        connectWithRoomFor(1000);
        other.receive(1, GUARD, 1000);
        one.send(2, GUARD, 10);
        assertThat(onlyCompletion(other).byteLength()).isEqualTo(10);
        assertNothingElseWasWritten(other, 10, ~1000L);
    }

    @Test
    void aWriteOfNoBytesNeedsNoKeys() {
        connect();
        other.queuePair.postReceive(1);
        one.signal(2, 99);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.SUCCESS);
        Completion received = onlyCompletion(other);
        assertThat(received.opcode()).isEqualTo(WorkCompletion.Opcode.RECEIVE_RDMA_WITH_IMM);
        assertThat(received.byteLength()).isZero();
        assertThat(received.immediate()).isEqualTo(99);
    }

    @Test
    void aReadOfNoBytesCompletes() {
        connect();
        one.read(1, 0, 0, other, 0);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.SUCCESS);
    }

    @Test
    void movesTheLargestMessage() {
        long bytes = largest();
        connectWithRoomFor(bytes);
        other.queuePair.postReceive(1);
        one.writeWithImmediate(2, GUARD, bytes, other, GUARD, 3);
        assertThat(onlyCompletion(other).byteLength()).isEqualTo(bytes);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.SUCCESS);
        assertSame(other.memory.asSlice(GUARD, bytes), one.memory.asSlice(GUARD, bytes));
    }

    @Test
    void thePayloadIsInPlaceWhenTheImmediateComes() {
        connect(settings -> settings.bytes = 1 << 20);
        for (int round = 0; round < 50; round++) {
            int value = round;
            one.memory.fill((byte) value);
            other.queuePair.postReceive(round);
            one.writeUnsignaled(round, 0, one.memory.byteSize(), other, 0);
            one.signal(round, round);
            awaitCompletions(other, round + 1);
            assertSame(other.memory, one.memory);
            awaitCompletions(one, round + 1);
        }
    }

    @Test
    void requestsAreExecutedInOrder() {
        connect();
        int count = 1000;
        for (int posted = 0, received = 0; received < count; ) {
            while (posted < count && posted - received < 32) {
                other.queuePair.postReceive(posted);
                one.memory.set(ValueLayout.JAVA_INT, 4L * (posted % 64), posted);
                one.writeWithImmediate(posted, 4L * (posted % 64), 4, other, 0, posted);
                posted++;
            }
            awaitCompletions(other, received + 1);
            awaitCompletions(one, received + 1);
            received = Math.min(one.completed.size(), other.completed.size());
        }
        assertThat(one.completed)
                .extracting(Completion::workId)
                .containsExactlyElementsOf(LongStream.range(0, count).boxed().toList());
        assertThat(other.completed)
                .extracting(completion -> (long) completion.immediate())
                .containsExactlyElementsOf(LongStream.range(0, count).boxed().toList());
        assertThat(other.memory.get(ValueLayout.JAVA_INT, 0)).isEqualTo(count - 1);
    }

    @Test
    void mixesKindsInOrder() {
        connect();
        fill(one.memory, 5);
        other.receive(1, 0, 100);
        one.send(10, 0, 100);
        one.read(11, 200, 100, other, 0);
        // Without a fence, a write behind a READ may take its bytes before those of the READ have come.
        awaitCompletions(one, 2);
        one.writeUnsignaled(12, 200, 100, other, 300);
        one.read(13, 400, 100, other, 300);
        awaitCompletions(one, 3);
        assertThat(one.completed).extracting(Completion::workId).containsExactly(10L, 11L, 13L);
        assertThat(one.completed).extracting(Completion::status).containsOnly(WorkStatus.SUCCESS);
        assertSame(one.memory.asSlice(400, 100), one.memory.asSlice(0, 100));
    }

    @Test
    void manyReadsAreAnsweredEachWithItsBytes() {
        connect();
        fill(other.memory, 3);
        for (int i = 0; i < 60; i++) {
            one.read(i, 1000L * i, 1000, other, 1000L * (59 - i));
        }
        awaitCompletions(one, 60);
        for (int i = 0; i < 60; i++) {
            assertSame(one.memory.asSlice(1000L * i, 1000), other.memory.asSlice(1000L * (59 - i), 1000));
        }
    }

    @Test
    void bothDirectionsAtOnce() {
        connect(settings -> settings.bytes = 8 << 20);
        long half = one.memory.byteSize() / 2;
        fill(one.memory, 1);
        fill(other.memory, 2);
        for (int round = 0; round < 8; round++) {
            one.write(round, 0, half, other, half);
            other.write(round, 0, half, one, half);
        }
        awaitCompletions(one, 8);
        awaitCompletions(other, 8);
        assertSame(other.memory.asSlice(half), one.memory.asSlice(0, half));
        assertSame(one.memory.asSlice(half), other.memory.asSlice(0, half));
    }

    @Test
    void onlySignaledSuccessesComplete() {
        connect();
        for (int i = 0; i < 10; i++) {
            one.writeUnsignaled(i, 0, 16, other, 0);
        }
        one.write(10, 0, 16, other, 0);
        awaitCompletions(one, 1);
        fixture.pass(Duration.ofMillis(10));
        assertThat(onlyCompletion(one).workId()).isEqualTo(10);
    }
}
