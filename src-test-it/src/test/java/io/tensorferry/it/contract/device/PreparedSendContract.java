package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Several work requests that the device is told of at once.
abstract class PreparedSendContract extends DeviceContract {
    private static final int DEPTH = 200;

    private final SendWorkRequest request = new SendWorkRequest();

    private SendWorkRequest write(long workId, long bytes, int immediate) {
        return request.writeWithImmediate(
                workId,
                one.region.address(),
                bytes,
                one.region.localKey(),
                other.region.address(),
                other.region.remoteKey(),
                immediate);
    }

    private void connectDeep() {
        connect(settings -> {
            settings.sendDepth = DEPTH;
            settings.receiveDepth = DEPTH;
            settings.completionEntries = 2 * DEPTH;
        });
        for (int i = 0; i < DEPTH; i++) {
            other.queuePair.postReceive(i);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 31, 32, 33, 64, DEPTH})
    void arriveInTheOrderInWhichTheyWerePrepared(int count) {
        connectDeep();
        fill(one.memory, 1);
        for (int i = 0; i < count; i++) {
            one.queuePair.prepareSend(write(i, i % 3 * 8L, 1000 + i));
        }
        one.queuePair.submitSends();
        awaitCompletions(one, count);
        awaitCompletions(other, count);
        assertThat(one.completed)
                .extracting(Completion::workId)
                .containsExactlyElementsOf(LongStream.range(0, count).boxed().toList());
        assertThat(other.completed)
                .extracting(Completion::immediate)
                .containsExactlyElementsOf(
                        IntStream.range(1000, 1000 + count).boxed().toList());
    }

    @Test
    void manyListsFollowEachOther() {
        connectDeep();
        for (int list = 0; list < 50; list++) {
            for (int i = 0; i < 40; i++) {
                SendWorkRequest next = write(list, 8, 7);
                next.signaled = i == 39;
                one.queuePair.prepareSend(next);
            }
            one.queuePair.submitSends();
            awaitCompletions(one, list + 1);
            awaitCompletions(other, 40 * (list + 1));
            for (int i = 0; i < 40; i++) {
                other.queuePair.postReceive(i);
            }
        }
        assertThat(one.completed).extracting(Completion::status).containsOnly(WorkStatus.SUCCESS);
    }

    @Test
    void aPostedOneTakesThoseBeforeItAlong() {
        connectDeep();
        one.queuePair.prepareSend(write(1, 8, 11));
        one.queuePair.prepareSend(write(2, 8, 12));
        one.queuePair.postSend(write(3, 8, 13));
        awaitCompletions(other, 3);
        assertThat(other.completed).extracting(Completion::immediate).containsExactly(11, 12, 13);
    }

    @Test
    void nothingIsSubmittedWhereNothingIsPrepared() {
        connectDeep();
        one.queuePair.submitSends();
        one.signal(1, 2);
        assertThat(onlyCompletion(one).workId()).isEqualTo(1);
    }

    @Test
    void aPreparedOneTakesASlot() {
        connect(settings -> settings.sendDepth = 4);
        for (int i = 0; i < 4; i++) {
            other.queuePair.postReceive(i);
            one.queuePair.prepareSend(write(i, 8, i));
        }
        assertErrno(VerbsException.ENOMEM, () -> one.queuePair.prepareSend(write(4, 8, 4)));
        one.queuePair.submitSends();
        awaitCompletions(one, 4);
        one.signal(5, 5);
        other.queuePair.postReceive(5);
        awaitCompletions(one, 5);
    }

    @Test
    void aWrongOneLeavesThoseBeforeIt() {
        connectDeep();
        one.queuePair.prepareSend(write(1, 8, 1));
        assertErrno(VerbsException.EINVAL, () -> one.queuePair.prepareSend(write(2, 1L << 33, 2)));
        one.queuePair.prepareSend(write(3, 8, 3));
        one.queuePair.submitSends();
        awaitCompletions(other, 2);
        assertThat(other.completed).extracting(Completion::immediate).containsExactly(1, 3);
    }

    @Test
    void inTheErrorStateTheyAreFlushed() {
        connectDeep();
        one.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
        for (int i = 0; i < 40; i++) {
            one.queuePair.prepareSend(write(i, 8, i));
        }
        one.queuePair.submitSends();
        awaitCompletions(one, 40);
        assertThat(one.completed).extracting(Completion::status).containsOnly(WorkStatus.WR_FLUSH_ERR);
    }

    @Test
    void aResetForgetsThem() {
        connectDeep();
        one.queuePair.prepareSend(write(1, 8, 1));
        one.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        other.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        Endpoint.connect(one, other);
        for (int i = 0; i < DEPTH; i++) {
            other.queuePair.postReceive(i);
            one.queuePair.prepareSend(write(100 + i, 0, i));
        }
        one.queuePair.submitSends();
        awaitCompletions(other, DEPTH);
        assertThat(other.completed).extracting(Completion::immediate).first().isEqualTo(0);
    }

    @Test
    void aWindowIsBoundInItsTurn() {
        connectDeep();
        assumeTrue(one.device.attributes().hasMemoryWindows(), () -> one.device.name() + " has no memory windows");
        try (MemoryWindow window = one.domain.allocateWindow()) {
            one.queuePair.prepareSend(write(1, 8, 1));
            one.queuePair.prepareSend(request.bind(2, window, one.region, one.region.address(), 8));
            one.queuePair.prepareSend(write(3, 8, 3));
            one.queuePair.submitSends();
            awaitCompletions(one, 3);
            assertThat(one.completed).extracting(Completion::workId).containsExactly(1L, 2L, 3L);
            one.queuePair.postSend(request.invalidate(4, window));
            awaitCompletions(one, 4);
        }
    }
}
