package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The states of a queue pair and what may be posted in each.
abstract class QueuePairContract extends DeviceContract {
    private final EnumSet<QueuePairState> modelled = EnumSet.of(
            QueuePairState.RESET, QueuePairState.INIT, QueuePairState.RTR, QueuePairState.RTS, QueuePairState.ERR);

    @Test
    void walksFromResetToReadyToSend() {
        makeEndpoints(settings -> {});
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.RESET);
        one.queuePair.modify(one.toInit());
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.INIT);
        one.queuePair.modify(one.toReadyToReceive(other));
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.RTR);
        one.queuePair.modify(one.toReadyToSend());
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.RTS);
        one.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.ERR);
        one.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.RESET);
    }

    @Test
    void refusesAChangeThatLacksAnAttribute() {
        makeEndpoints(settings -> {});
        refusesWithoutEach(one.toInit());
        one.queuePair.modify(one.toInit());
        refusesWithoutEach(one.toReadyToReceive(other));
        one.queuePair.modify(one.toReadyToReceive(other));
        refusesWithoutEach(one.toReadyToSend());
        one.queuePair.modify(one.toReadyToSend());
    }

    private void refusesWithoutEach(QueuePairAttributes complete) {
        QueuePairState before = one.queuePair.state();
        for (QueuePairAttribute left : complete.present()) {
            var attributes = QueuePairAttributes.to(complete.target());
            for (QueuePairAttribute kept : complete.present()) {
                if (kept == QueuePairAttribute.ADDRESS && kept != left) {
                    attributes.address(complete.address());
                } else if (kept != left) {
                    attributes.set(kept, complete.get(kept));
                }
            }
            assertErrno(VerbsException.EINVAL, () -> one.queuePair.modify(attributes));
            assertThat(one.queuePair.state()).as("state after a refused change").isEqualTo(before);
        }
    }

    @Test
    void refusesAChangeThatLeavesOutAState() {
        makeEndpoints(settings -> {});
        assertErrno(VerbsException.EINVAL, () -> one.queuePair.modify(one.toReadyToReceive(other)));
        assertErrno(VerbsException.EINVAL, () -> one.queuePair.modify(one.toReadyToSend()));
        one.queuePair.modify(one.toInit());
        assertErrno(VerbsException.EINVAL, () -> one.queuePair.modify(one.toReadyToSend()));
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.INIT);
    }

    @Test
    void leavesTheErrorStateOnlyByReset() {
        connect();
        one.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
        assertErrno(VerbsException.EINVAL, () -> one.queuePair.modify(one.toReadyToSend()));
        assertErrno(VerbsException.EINVAL, () -> one.queuePair.modify(one.toInit()));
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void goesToErrorAndResetFromEveryState() {
        makeEndpoints(settings -> {});
        for (QueuePairState from : modelled) {
            for (QueuePairState to : Set.of(QueuePairState.ERR, QueuePairState.RESET)) {
                if (from == QueuePairState.RESET && to == QueuePairState.ERR) {
                    continue;
                }
                one.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
                goTo(from);
                one.queuePair.modify(QueuePairAttributes.to(to));
                assertThat(one.queuePair.state()).as("from %s", from).isEqualTo(to);
            }
        }
    }

    /// The kernel's table of transitions, which all drivers share, has no such one.
    @Test
    void doesNotGoFromResetToError() {
        makeEndpoints(settings -> {});
        assertErrno(VerbsException.EINVAL, () -> one.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR)));
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.RESET);
    }

    private void goTo(QueuePairState state) {
        if (state == QueuePairState.ERR) {
            one.queuePair.modify(one.toInit());
            one.queuePair.modify(QueuePairAttributes.to(state));
            return;
        }
        if (state.compareTo(QueuePairState.INIT) >= 0) {
            one.queuePair.modify(one.toInit());
        }
        if (state.compareTo(QueuePairState.RTR) >= 0) {
            one.queuePair.modify(one.toReadyToReceive(other));
        }
        if (state.compareTo(QueuePairState.RTS) >= 0) {
            one.queuePair.modify(one.toReadyToSend());
        }
    }

    @Test
    void postsSendsOnlyWhenReadyToSend() {
        makeEndpoints(settings -> {});
        assertErrno(VerbsException.EINVAL, () -> one.signal(1, 0));
        one.queuePair.modify(one.toInit());
        assertErrno(VerbsException.EINVAL, () -> one.signal(1, 0));
        one.queuePair.modify(one.toReadyToReceive(other));
        assertErrno(VerbsException.EINVAL, () -> one.signal(1, 0));
        assertThat(one.poll()).isZero();
    }

    @Test
    void postsReceivesFromInitOn() {
        makeEndpoints(settings -> {});
        assertErrno(VerbsException.EINVAL, () -> other.queuePair.postReceive(1));
        other.queuePair.modify(other.toInit());
        other.queuePair.postReceive(2);
        one.queuePair.modify(one.toInit());
        one.queuePair.modify(one.toReadyToReceive(other));
        other.queuePair.modify(other.toReadyToReceive(one));
        other.queuePair.postReceive(3);
        one.queuePair.modify(one.toReadyToSend());
        one.signal(10, 5);
        one.signal(11, 6);
        awaitCompletions(other, 2);
        assertThat(other.completed).extracting(Completion::workId).containsExactly(2L, 3L);
    }

    @Test
    void answersBeforeItIsReadyToSend() {
        makeEndpoints(settings -> {});
        one.queuePair.modify(one.toInit());
        other.queuePair.modify(other.toInit());
        one.queuePair.modify(one.toReadyToReceive(other));
        other.queuePair.modify(other.toReadyToReceive(one));
        one.queuePair.modify(one.toReadyToSend());
        fill(one.memory, 1);
        one.write(1, 0, 4096, other, 0);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.SUCCESS);
        assertSame(other.memory.asSlice(0, 4096), one.memory.asSlice(0, 4096));
        assertThat(other.queuePair.state()).isEqualTo(QueuePairState.RTR);
    }

    @Test
    void forgetsEverythingOnResetAndConnectsAgain() {
        connect();
        other.queuePair.postReceive(1);
        one.signal(2, 3);
        awaitCompletions(one, 1);
        awaitCompletions(other, 1);
        other.queuePair.postReceive(4);
        one.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        other.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        one.completed.clear();
        other.completed.clear();
        Endpoint.connect(one, other);
        other.queuePair.postReceive(5);
        one.signal(6, 7);
        assertThat(onlyCompletion(one).workId()).isEqualTo(6);
        assertThat(onlyCompletion(other))
                .extracting(Completion::workId, Completion::immediate)
                .containsExactly(5L, 7);
    }

    @Test
    void numbersAreUniqueAndHave24Bits() {
        makeEndpoints(settings -> {});
        var queuePairs = new ArrayList<QueuePair>();
        var options = new QueuePairOptions(one.completions, one.completions, 4, 4);
        for (int i = 0; i < 64; i++) {
            queuePairs.add(one.domain.createQueuePair(options));
        }
        assertThat(queuePairs).extracting(QueuePair::number).doesNotHaveDuplicates();
        assertThat(queuePairs).extracting(QueuePair::number).doesNotContain(one.queuePair.number());
        assertThat(queuePairs)
                .allSatisfy(queuePair -> assertThat(queuePair.number()).isBetween(0, 0xFF_FFFF));
        queuePairs.forEach(QueuePair::close);
    }
}
