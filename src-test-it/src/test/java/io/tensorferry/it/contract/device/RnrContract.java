package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.WorkStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// "Receiver not ready": a message that finds no posted receive waits, and fails when it waited too often.
abstract class RnrContract extends DeviceContract {
    /// 10.24 ms.
    private static final int TIMER = 20;

    @Test
    void anImmediateWaitsForAReceive() {
        connect();
        fill(one.memory, 1);
        one.writeWithImmediate(1, 0, 4096, other, 0, 42);
        fixture.pass(Duration.ofMillis(20));
        assertThat(one.poll()).as("completions without a receive").isZero();
        assertThat(other.poll()).isZero();
        other.queuePair.postReceive(2);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(onlyCompletion(other).immediate()).isEqualTo(42);
        assertSame(other.memory.asSlice(0, 4096), one.memory.asSlice(0, 4096));
    }

    @Test
    void aSendWaitsForAReceiveAndWhatFollowsWaitsBehindIt() {
        connect();
        fill(one.memory, 1);
        one.send(1, 0, 4096);
        one.write(2, 0, 8, other, 8192);
        one.send(3, 4096, 10);
        fixture.pass(Duration.ofMillis(20));
        assertThat(one.poll()).as("completions without a receive").isZero();
        other.receive(4, 0, 4096);
        awaitCompletions(one, 2);
        fixture.pass(Duration.ofMillis(10));
        one.poll();
        assertThat(one.completed).extracting(Completion::workId).containsExactly(1L, 2L);
        other.receive(5, 4096, 10);
        awaitCompletions(one, 3);
        awaitCompletions(other, 2);
        assertThat(other.completed).extracting(Completion::workId).containsExactly(4L, 5L);
        assertSame(other.memory.asSlice(0, 4106), one.memory.asSlice(0, 4106));
    }

    @Test
    void failsWhenItWasTriedTooOften() {
        connect(settings -> {
            settings.rnrRetry = 2;
            settings.minRnrTimer = TIMER;
        });
        one.signal(1, 0);
        one.signal(2, 0);
        awaitCompletions(one, 2);
        assertThat(one.completed)
                .extracting(Completion::status)
                .containsExactly(WorkStatus.RNR_RETRY_EXC_ERR, WorkStatus.WR_FLUSH_ERR);
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.ERR);
        assertThat(other.queuePair.state()).as("the responder has done nothing wrong").isEqualTo(QueuePairState.RTS);
    }

    @Test
    void failsAtOnceWithoutRetries() {
        connect(settings -> settings.rnrRetry = 0);
        one.send(1, 0, 100);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.RNR_RETRY_EXC_ERR);
    }

    @Test
    void eachMessageHasItsRetriesAnew() {
        connect(settings -> {
            settings.rnrRetry = 6;
            settings.minRnrTimer = TIMER;
        });
        for (int i = 0; i < 5; i++) {
            one.signal(i, i);
            fixture.pass(Duration.ofMillis(15));
            other.queuePair.postReceive(i);
            awaitCompletions(one, i + 1);
        }
        assertThat(one.completed).extracting(Completion::status).containsOnly(WorkStatus.SUCCESS);
    }

    @Test
    void aReceiverThatIsAlwaysLateLosesNothing() {
        connect();
        int count = 200;
        for (int i = 0; i < 40; i++) {
            one.signal(i, i);
        }
        int posted = 40;
        for (int i = 0; i < count; i++) {
            other.queuePair.postReceive(i);
            awaitCompletions(other, i + 1);
            awaitCompletions(one, i + 1);
            if (posted < count) {
                one.signal(posted, posted);
                posted++;
            }
        }
        for (int i = 0; i < count; i++) {
            assertThat(other.completed.get(i).immediate()).isEqualTo(i);
        }
    }
}
