package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.WorkStatus;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// After the first failure everything else comes back, in order, as flushed; and a peer that does not answer is a
/// failure.
abstract class ErrorFlushContract extends DeviceContract {
    @Test
    void everythingBehindAFailureIsFlushedInOrder() {
        connect();
        for (int i = 0; i < 5; i++) {
            one.queuePair.postReceive(100 + i);
        }
        one.write(0, 0, 8, other, other.memory.byteSize());
        for (int i = 1; i < 20; i++) {
            one.writeUnsignaled(i, 0, 8, other, 0);
        }
        awaitCompletions(one, 25);
        assertThat(one.completed.stream().filter(completion -> completion.workId() < 100))
                .extracting(Completion::workId)
                .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());
        assertThat(one.completed.stream().filter(completion -> completion.workId() >= 100))
                .extracting(Completion::workId)
                .containsExactly(100L, 101L, 102L, 103L, 104L);
        assertThat(one.completed.getFirst().status()).isEqualTo(WorkStatus.REM_ACCESS_ERR);
        assertThat(one.completed.stream().skip(1))
                .extracting(Completion::status)
                .containsOnly(WorkStatus.WR_FLUSH_ERR);
    }

    @Test
    void theResponderFlushesItsReceives() {
        connect();
        for (int i = 0; i < 5; i++) {
            other.queuePair.postReceive(i);
        }
        one.write(9, 0, 8, other, other.memory.byteSize());
        awaitCompletions(other, 5);
        assertThat(other.completed).extracting(Completion::workId).containsExactly(0L, 1L, 2L, 3L, 4L);
        assertThat(other.completed).extracting(Completion::status).containsOnly(WorkStatus.WR_FLUSH_ERR);
    }

    @Test
    void whatIsPostedInErrorIsFlushed() {
        connect();
        one.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
        for (int i = 0; i < 10; i++) {
            one.writeUnsignaled(i, 0, 8, other, 0);
        }
        awaitCompletions(one, 10);
        for (int i = 10; i < 20; i++) {
            one.queuePair.postReceive(i);
        }
        awaitCompletions(one, 20);
        assertThat(one.completed)
                .extracting(Completion::workId)
                .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());
        assertThat(one.completed).extracting(Completion::status).containsOnly(WorkStatus.WR_FLUSH_ERR);
    }

    @Test
    void goingToErrorFlushesWhatWaits() {
        connect();
        one.queuePair.postReceive(1);
        one.queuePair.postReceive(2);
        one.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
        awaitCompletions(one, 2);
        assertThat(one.completed).extracting(Completion::status).containsOnly(WorkStatus.WR_FLUSH_ERR);
    }

    @Test
    void aPeerThatIsNotReadyIsRetriedAndThenFails() {
        makeEndpoints(settings -> {});
        one.queuePair.modify(one.toInit());
        one.queuePair.modify(one.toReadyToReceive(other));
        one.queuePair.modify(one.toReadyToSend());
        one.write(1, 0, 8, other, 0);
        one.write(2, 0, 8, other, 0);
        awaitCompletions(one, 2);
        assertThat(one.completed)
                .extracting(Completion::status)
                .containsExactly(WorkStatus.RETRY_EXC_ERR, WorkStatus.WR_FLUSH_ERR);
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void theLargestRetryCountIsNotForEver() {
        makeEndpoints(settings -> {
            settings.timeout = 12;
            settings.retryCount = 7;
        });
        one.queuePair.modify(one.toInit());
        one.queuePair.modify(one.toReadyToReceive(other));
        one.queuePair.modify(one.toReadyToSend());
        one.write(1, 0, 8, other, 0);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.RETRY_EXC_ERR);
    }

    @Test
    void aPeerThatBecomesReadyInTimeIsReached() {
        makeEndpoints(settings -> {
            settings.timeout = 18;
            settings.retryCount = 7;
        });
        one.queuePair.modify(one.toInit());
        one.queuePair.modify(one.toReadyToReceive(other));
        one.queuePair.modify(one.toReadyToSend());
        fill(one.memory, 1);
        one.write(1, 0, 8, other, 0);
        fixture.pass(Duration.ofMillis(30));
        other.queuePair.modify(other.toInit());
        other.queuePair.modify(other.toReadyToReceive(one));
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.SUCCESS);
        assertSame(other.memory.asSlice(0, 8), one.memory.asSlice(0, 8));
    }

    @Test
    void aQueuePairThatDoesNotExistIsNotReached() {
        makeEndpoints(settings -> {});
        one.queuePair.modify(one.toInit());
        one.queuePair.modify(one.toReadyToReceive(other, other.queuePair.number() ^ 0x10_0000));
        one.queuePair.modify(one.toReadyToSend());
        one.signal(1, 0);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.RETRY_EXC_ERR);
    }

    @Test
    void aQueuePairThatIsConnectedToAnotherIsNotReached() {
        makeEndpoints(settings -> {});
        other.queuePair.modify(other.toInit());
        other.queuePair.modify(other.toReadyToReceive(one, one.queuePair.number() ^ 0x10_0000));
        one.queuePair.modify(one.toInit());
        one.queuePair.modify(one.toReadyToReceive(other));
        one.queuePair.modify(one.toReadyToSend());
        fill(other.memory, 9);
        one.write(1, 0, 4096, other, 0);
        // Hardware that does not check the source executes it; it must not be half done.
        Completion completion = onlyCompletion(one);
        if (completion.status() == WorkStatus.SUCCESS) {
            assertSame(other.memory.asSlice(0, 4096), one.memory.asSlice(0, 4096));
        } else {
            assertThat(completion.status()).isEqualTo(WorkStatus.RETRY_EXC_ERR);
        }
    }

    @Test
    void anUnexpectedSequenceNumberIsNotAnswered() {
        makeEndpoints(settings -> settings.sendSequence = 1_000_000, settings -> settings.receiveSequence = 3_000_000);
        Endpoint.connect(one, other);
        one.signal(1, 0);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.RETRY_EXC_ERR);
    }

    @Test
    void aPeerThatWentAwayIsNoticedByTheNextRequest() {
        connect();
        one.write(1, 0, 8, other, 0);
        awaitCompletions(one, 1);
        other.queuePair.close();
        one.write(2, 0, 8, other, 0);
        one.write(3, 0, 8, other, 0);
        awaitCompletions(one, 3);
        assertThat(one.completed)
                .extracting(Completion::status)
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.RETRY_EXC_ERR, WorkStatus.WR_FLUSH_ERR);
    }

    @Test
    void aPeerThatGoesAwayUnderWayEndsWhatIsOutstanding() {
        connect(settings -> settings.bytes = 8 << 20);
        for (int i = 0; i < 16; i++) {
            one.write(i, 0, one.memory.byteSize(), other, 0);
        }
        awaitCompletions(one, 1);
        other.queuePair.close();
        awaitCompletions(one, 16);
        int successes = (int) one.completed.stream()
                .filter(completion -> completion.status() == WorkStatus.SUCCESS)
                .count();
        assertThat(one.completed)
                .extracting(Completion::workId)
                .containsExactlyElementsOf(LongStream.range(0, 16).boxed().toList());
        if (successes < 16) {
            assertThat(one.completed.get(successes).status()).isEqualTo(WorkStatus.RETRY_EXC_ERR);
            assertThat(one.completed.stream().skip(successes + 1L))
                    .extracting(Completion::status)
                    .allMatch(WorkStatus.WR_FLUSH_ERR::equals);
        }
    }

    @Test
    void aPeerInErrorIsNotReached() {
        connect();
        other.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
        one.write(1, 0, 8, other, 0);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.RETRY_EXC_ERR);
    }

    @Test
    void memoryIsLeftAloneAfterClose() {
        connect(settings -> settings.bytes = 32 << 20);
        one.memory.fill((byte) 1);
        for (int i = 0; i < 8; i++) {
            one.write(i, 0, one.memory.byteSize(), other, 0);
        }
        fixture.pass(Duration.ofMillis(2));
        other.queuePair.close();
        other.memory.fill((byte) 7);
        awaitCompletions(one, 8);
        assertThat(other.memory.asSlice(1).mismatch(other.memory.asSlice(0, other.memory.byteSize() - 1)))
                .as("bytes written after close")
                .isEqualTo(-1);
    }
}
