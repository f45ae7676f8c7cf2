package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkStatus;
import java.lang.foreign.Arena;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Nobody reaches memory that was not given to him: neither the peer nor a mistaken work request.
abstract class AccessCheckContract extends DeviceContract {
    private final SendWorkRequest request = new SendWorkRequest();

    /// One end asked for what it may not have: its request fails, and both queue pairs are in ERR.
    private void assertRefused(WorkStatus status) {
        assertThat(onlyCompletion(one).status()).isEqualTo(status);
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.ERR);
        await("the responder's queue pair goes to ERR", () -> other.queuePair.state() == QueuePairState.ERR);
    }

    private void assertAccessRefused() {
        var before = Arena.ofAuto().allocate(other.memory.byteSize());
        fill(before, 11);
        assertRefused(WorkStatus.REM_ACCESS_ERR);
        assertSame(other.memory, before);
        await(
                "the responder reports it",
                () -> other.events.stream()
                        .anyMatch(event -> event.type() == AsyncEvent.Type.QP_ACCESS_ERR
                                && event.number() == other.queuePair.number()));
    }

    private void connectFilled() {
        connect();
        fill(one.memory, 10);
        fill(other.memory, 11);
    }

    @Test
    void anUnknownRemoteKeyIsRefused() {
        connectFilled();
        int unknown = other.region.remoteKey() ^ 0x5A5A_5A5A;
        one.queuePair.postSend(
                request.write(1, one.region.address(), 8, one.region.localKey(), other.region.address(), unknown));
        assertAccessRefused();
    }

    @Test
    void aClosedRegionIsRefused() {
        connectFilled();
        MemoryRegion second = other.domain.register(other.memory.asSlice(0, 4096), EnumSet.allOf(AccessFlag.class));
        second.close();
        one.queuePair.postSend(
                request.write(1, one.region.address(), 8, one.region.localKey(), second.address(), second.remoteKey()));
        assertAccessRefused();
    }

    @Test
    void aRegionOfAnotherProtectionDomainIsRefused() {
        connectFilled();
        try (ProtectionDomain domain = other.device.allocateProtectionDomain();
                MemoryRegion foreign = domain.register(other.memory, EnumSet.allOf(AccessFlag.class))) {
            one.queuePair.postSend(request.write(
                    1, one.region.address(), 8, one.region.localKey(), foreign.address(), foreign.remoteKey()));
            assertAccessRefused();
        }
    }

    @Test
    void bytesBeforeTheRegionAreRefused() {
        connectFilled();
        one.write(1, 0, 16, other, -8);
        assertAccessRefused();
    }

    @Test
    void bytesBehindTheRegionAreRefused() {
        connectFilled();
        one.write(1, 0, 16, other, other.memory.byteSize() - 8);
        assertAccessRefused();
    }

    @Test
    void anAddressThatWrapsAroundIsRefused() {
        connectFilled();
        one.write(1, 0, 16, other, -other.region.address() - 8);
        assertAccessRefused();
    }

    @Test
    void aReadBehindTheRegionIsRefused() {
        connectFilled();
        one.read(1, 0, 4096, other, other.memory.byteSize() - 4095);
        assertAccessRefused();
    }

    @Test
    void aRegionWithoutRemoteWriteRefusesWrites() {
        connect(
                settings -> {},
                settings -> settings.regionAccess = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ));
        fill(other.memory, 11);
        one.write(1, 0, 8, other, 0);
        assertAccessRefused();
    }

    @Test
    void aRegionWithoutRemoteReadRefusesReads() {
        connect(
                settings -> {},
                settings -> settings.regionAccess = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        fill(other.memory, 11);
        one.read(1, 0, 8, other, 0);
        assertAccessRefused();
    }

    @Test
    void aQueuePairWithoutRemoteWriteRefusesWrites() {
        connect(settings -> {}, settings -> settings.access = QueuePairAttributes.ACCESS_REMOTE_READ);
        fill(other.memory, 11);
        one.write(1, 0, 8, other, 0);
        assertThat(onlyCompletion(one).status()).isIn(WorkStatus.REM_ACCESS_ERR, WorkStatus.REM_INV_REQ_ERR);
    }

    @Test
    void aQueuePairWithoutRemoteReadRefusesReads() {
        connect(settings -> {}, settings -> settings.access = QueuePairAttributes.ACCESS_REMOTE_WRITE);
        fill(one.memory, 10);
        one.read(1, 0, 8, other, 0);
        assertThat(onlyCompletion(one).status()).isIn(WorkStatus.REM_ACCESS_ERR, WorkStatus.REM_INV_REQ_ERR);
    }

    @Test
    void aRefusalIsToldAlsoToOneWhoIsStillSending() {
        connect(settings -> settings.bytes = 8 << 20);
        for (int round = 0; round < 10; round++) {
            one.write(0, 0, 1000, other, 0);
            one.write(1, 0, one.memory.byteSize(), other, 8);
            for (int i = 2; i < 10; i++) {
                one.write(i, 0, one.memory.byteSize(), other, 0);
            }
            awaitCompletions(one, 10);
            assertThat(one.completed.stream().limit(3))
                    .extracting(Completion::status)
                    .containsExactly(WorkStatus.SUCCESS, WorkStatus.REM_ACCESS_ERR, WorkStatus.WR_FLUSH_ERR);
            one.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
            other.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
            one.completed.clear();
            Endpoint.connect(one, other);
        }
    }

    @Test
    void anUnknownLocalKeyFailsLocally() {
        connectFilled();
        one.queuePair.postSend(request.write(
                1,
                one.region.address(),
                8,
                one.region.localKey() ^ 0x5A5A_5A5A,
                other.region.address(),
                other.region.remoteKey()));
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.LOC_PROT_ERR);
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void localBytesBehindTheRegionFailLocally() {
        connectFilled();
        one.write(1, one.memory.byteSize() - 8, 16, other, 0);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.LOC_PROT_ERR);
    }

    @Test
    void aReadIntoMemoryWithoutLocalWriteFailsLocally() {
        connect(settings -> settings.regionAccess = Set.of(), settings -> {});
        one.read(1, 0, 8, other, 0);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.LOC_PROT_ERR);
    }

    @Test
    void whatCameBeforeAFailureIsDone() {
        connectFilled();
        one.write(1, 0, 64, other, 0);
        one.write(2, 0, 64, other, other.memory.byteSize());
        awaitCompletions(one, 2);
        assertThat(one.completed)
                .extracting(Completion::status)
                .containsExactly(WorkStatus.SUCCESS, WorkStatus.REM_ACCESS_ERR);
        assertSame(other.memory.asSlice(0, 64), one.memory.asSlice(0, 64));
    }

    @Test
    void aLocalFailureWaitsForWhatCameBefore() {
        connectFilled();
        one.write(1, 0, 32_768, other, 0);
        one.write(2, one.memory.byteSize(), 64, other, 0);
        awaitCompletions(one, 2);
        assertThat(one.completed).extracting(Completion::workId).containsExactly(1L, 2L);
        assertFailed(one.completed.getFirst(), Failure.BEFORE_LOCAL_MEMORY);
        assertThat(one.completed.getLast().status()).isEqualTo(WorkStatus.LOC_PROT_ERR);
    }

    @Test
    void aMessageLongerThanItsReceiveFailsAtBothEnds() {
        connectFilled();
        other.receive(1, 0, 100);
        one.send(2, 0, 101);
        assertFailed(onlyCompletion(one), Failure.TOO_LONG_FOR_RECEIVE_AT_SENDER);
        assertFailed(onlyCompletion(other), Failure.TOO_LONG_FOR_RECEIVE_AT_RECEIVER);
        assertThat(onlyCompletion(other).workId()).isEqualTo(1);
        assertThat(other.queuePair.state()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void aReceiveWithAWrongKeyFailsAtBothEnds() {
        connectFilled();
        other.queuePair.postReceive(1, other.region.address(), 100, other.region.localKey() ^ 0x5A5A_5A5A);
        one.send(2, 0, 100);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.REM_OP_ERR);
        assertFailed(onlyCompletion(other), Failure.RECEIVE_MEMORY);
    }
}
