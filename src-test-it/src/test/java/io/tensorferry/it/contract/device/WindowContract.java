package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// A peer gets through a window's key to what the window is bound to, while it is bound, and to nothing else. One end
/// writes, the other has the window.
abstract class WindowContract extends DeviceContract {
    private static final int OFFSET = 4096;
    private static final int LENGTH = 1000;

    private final SendWorkRequest request = new SendWorkRequest();

    /// Connects two ends with different contents, and makes a window at the second.
    private MemoryWindow connectWithWindow() {
        connect();
        assumeTrue(fixture.second().attributes().hasMemoryWindows(), "this device has no windows of type 2");
        fill(one.memory, 10);
        fill(other.memory, 11);
        return other.domain.allocateWindow();
    }

    private void postBind(long workId, MemoryWindow window, long offset, long length) {
        other.queuePair.postSend(request.bind(workId, window, other.region, other.region.address() + offset, length));
    }

    private void bind(MemoryWindow window) {
        postBind(1, window, OFFSET, LENGTH);
        awaitSuccess(other);
    }

    private void invalidate(MemoryWindow window) {
        other.queuePair.postSend(request.invalidate(2, window));
        awaitSuccess(other);
    }

    /// Takes the one completion that an end waits for.
    private void awaitSuccess(Endpoint end) {
        assertThat(onlyCompletion(end).status()).isEqualTo(WorkStatus.SUCCESS);
        end.completed.clear();
    }

    /// Has the peer write a number of bytes to an offset in the other end's memory, by this key.
    private void write(int key, long offset, long length) {
        one.queuePair.postSend(request.write(
                7, one.region.address(), length, one.region.localKey(), other.region.address() + offset, key));
    }

    private void assertWritten(int key, long offset, long length) {
        write(key, offset, length);
        awaitSuccess(one);
        assertSame(other.memory.asSlice(offset, length), one.memory.asSlice(0, length));
    }

    private void assertRefused(int key, long offset, long length) {
        MemorySegment before = copyOfMemory();
        write(key, offset, length);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.REM_ACCESS_ERR);
        await("the responder's queue pair goes to ERR", () -> other.queuePair.state() == QueuePairState.ERR);
        assertSame(other.memory, before);
    }

    private MemorySegment copyOfMemory() {
        return Arena.ofAuto().allocate(other.memory.byteSize()).copyFrom(other.memory);
    }

    @Test
    void aDeviceSaysWhetherItHasWindows() {
        makeEndpoints(settings -> settings.regionAccess = Set.of());
        boolean has = one.device.attributes().hasMemoryWindows();
        assertThat(has || !fixture.isSoftRoce()).as("Soft-RoCE has windows").isTrue();
        if (has) {
            one.domain.allocateWindow().close();
        } else {
            assertErrno(VerbsException.EOPNOTSUPP, one.domain::allocateWindow);
        }
    }

    @Test
    void allBytesOfABoundWindowCanBeWritten() {
        MemoryWindow window = connectWithWindow();
        bind(window);
        assertThat(window.isBound()).isTrue();
        assertWritten(window.remoteKey(), OFFSET, LENGTH);
        assertWritten(window.remoteKey(), OFFSET, 1);
        assertWritten(window.remoteKey(), OFFSET + LENGTH - 1, 1);
        window.close();
    }

    @Test
    void aLargeWriteGoesThroughAWindow() {
        connect(settings -> settings.bytes = 8 << 20);
        assumeTrue(fixture.second().attributes().hasMemoryWindows(), "this device has no windows of type 2");
        fill(one.memory, 10);
        try (MemoryWindow window = other.domain.allocateWindow()) {
            postBind(1, window, 8, (8 << 20) - 16);
            awaitSuccess(other);
            long length = Math.min(
                    (8 << 20) - 16, fixture.first().port(fixture.port()).maxMessageBytes());
            assertWritten(window.remoteKey(), 8, length);
        }
    }

    @Test
    void aWindowThatIsBoundToNothingIsRefused() {
        MemoryWindow window = connectWithWindow();
        assertThat(window.isBound()).isFalse();
        assertRefused(window.remoteKey(), OFFSET, 8);
        window.close();
    }

    @Test
    void bytesBeforeTheWindowAreRefused() {
        assertOutsideIsRefused(OFFSET - 1, 8);
    }

    @Test
    void bytesBehindTheWindowAreRefused() {
        assertOutsideIsRefused(OFFSET + LENGTH - 7, 8);
    }

    @Test
    void moreBytesThanTheWindowHasAreRefused() {
        assertOutsideIsRefused(OFFSET, LENGTH + 1);
    }

    private void assertOutsideIsRefused(long offset, long length) {
        MemoryWindow window = connectWithWindow();
        bind(window);
        MemorySegment before = copyOfMemory();
        write(window.remoteKey(), offset, length);
        Completion completion = onlyCompletion(one);
        assertFailed(completion, Failure.OUTSIDE_THE_WINDOW);
        if (completion.status() != WorkStatus.SUCCESS) {
            assertSame(other.memory, before);
        }
        window.close();
    }

    @Test
    void bytesBehindTheRegionAreRefusedAlsoThroughAWindow() {
        MemoryWindow window = connectWithWindow();
        postBind(1, window, other.memory.byteSize() - 8, 8);
        awaitSuccess(other);
        assertRefused(window.remoteKey(), other.memory.byteSize() - 8, 9);
        window.close();
    }

    @Test
    void anInvalidatedWindowIsRefused() {
        MemoryWindow window = connectWithWindow();
        bind(window);
        assertWritten(window.remoteKey(), OFFSET, LENGTH);
        invalidate(window);
        assertThat(window.isBound()).isFalse();
        assertRefused(window.remoteKey(), OFFSET, 8);
        window.close();
    }

    @Test
    void theKeyOfAnEarlierBindIsRefused() {
        MemoryWindow window = connectWithWindow();
        bind(window);
        int stale = window.remoteKey();
        invalidate(window);
        bind(window);
        assertWritten(window.remoteKey(), OFFSET, LENGTH);
        assertRefused(stale, OFFSET, 8);
        window.close();
    }

    @Test
    void eachBindCountsTheLowBitsOfTheKey() {
        MemoryWindow window = connectWithWindow();
        int key = window.remoteKey();
        for (int i = 1; i <= 256; i++) {
            bind(window);
            assertThat(window.remoteKey()).isEqualTo((key & ~0xFF) | ((key + i) & 0xFF));
            invalidate(window);
        }
        assertThat(window.remoteKey()).isEqualTo(key);
        window.close();
    }

    @Test
    void thePeerOfAnotherQueuePairIsRefused() {
        MemoryWindow window = connectWithWindow();
        try (QueuePair asking = secondQueuePair(one);
                QueuePair asked = secondQueuePair(other)) {
            asking.modify(one.toInit());
            asked.modify(other.toInit());
            asking.modify(one.toReadyToReceive(other, asked.number()));
            asked.modify(other.toReadyToReceive(one, asking.number()));
            asking.modify(one.toReadyToSend());
            asked.modify(other.toReadyToSend());
            bind(window);
            MemorySegment before = copyOfMemory();
            asking.postSend(request.write(
                    7,
                    one.region.address(),
                    8,
                    one.region.localKey(),
                    other.region.address() + OFFSET,
                    window.remoteKey()));
            assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.REM_ACCESS_ERR);
            assertSame(other.memory, before);
            one.completed.clear();
            assertErrno(VerbsException.EINVAL, () -> asked.postSend(request.invalidate(2, window)));
            assertWritten(window.remoteKey(), OFFSET, LENGTH);
        }
        window.close();
    }

    private static QueuePair secondQueuePair(Endpoint end) {
        return end.domain.createQueuePair(new QueuePairOptions(end.completions, end.completions, 8, 8));
    }

    @Test
    void aWindowForReadsRefusesWrites() {
        MemoryWindow window = connectWithWindow();
        request.bind(1, window, other.region, other.region.address() + OFFSET, LENGTH);
        request.windowAccess = Set.of(AccessFlag.REMOTE_READ);
        other.queuePair.postSend(request);
        awaitSuccess(other);
        one.queuePair.postSend(request.read(
                1,
                one.region.address(),
                LENGTH,
                one.region.localKey(),
                other.region.address() + OFFSET,
                window.remoteKey()));
        awaitSuccess(one);
        assertSame(one.memory.asSlice(0, LENGTH), other.memory.asSlice(OFFSET, LENGTH));
        assertRefused(window.remoteKey(), OFFSET, 8);
        window.close();
    }

    @Test
    void aWindowForWritesRefusesReads() {
        MemoryWindow window = connectWithWindow();
        bind(window);
        MemorySegment before = Arena.ofAuto().allocate(one.memory.byteSize()).copyFrom(one.memory);
        one.queuePair.postSend(request.read(
                1,
                one.region.address(),
                8,
                one.region.localKey(),
                other.region.address() + OFFSET,
                window.remoteKey()));
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.REM_ACCESS_ERR);
        assertSame(one.memory, before);
        window.close();
    }

    @Test
    void aRegionThatItselfRefusesWritesTakesThemThroughAWindow() {
        connect(settings -> {}, settings -> settings.regionAccess = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND));
        assumeTrue(fixture.second().attributes().hasMemoryWindows(), "this device has no windows of type 2");
        fill(one.memory, 10);
        try (MemoryWindow window = other.domain.allocateWindow()) {
            bind(window);
            assertWritten(window.remoteKey(), OFFSET, LENGTH);
            assertRefused(other.region.remoteKey(), OFFSET, LENGTH);
        }
    }

    @Test
    void aBoundWindowIsNotBoundAgain() {
        MemoryWindow window = connectWithWindow();
        bind(window);
        int key = window.remoteKey();
        assertErrno(VerbsException.EINVAL, () -> postBind(3, window, 0, 8));
        assertThat(window.remoteKey()).isEqualTo(key);
        assertWritten(key, OFFSET, LENGTH);
        window.close();
    }

    @Test
    void aWindowThatIsNotBoundIsNotInvalidated() {
        MemoryWindow window = connectWithWindow();
        assertErrno(VerbsException.EINVAL, () -> other.queuePair.postSend(request.invalidate(1, window)));
        bind(window);
        invalidate(window);
        assertErrno(VerbsException.EINVAL, () -> other.queuePair.postSend(request.invalidate(1, window)));
        assertThat(other.queuePair.state()).isEqualTo(QueuePairState.RTS);
        window.close();
        assertErrno(VerbsException.EINVAL, () -> postBind(3, window, OFFSET, LENGTH));
    }

    @Test
    void whatTheRegionDoesNotAllowIsNotBound() {
        MemoryWindow window = connectWithWindow();
        long size = other.memory.byteSize();
        assertErrno(VerbsException.EINVAL, () -> postBind(1, window, 0, 0));
        assertErrno(VerbsException.EINVAL, () -> postBind(1, window, -1, 8));
        assertErrno(VerbsException.EINVAL, () -> postBind(1, window, size - 7, 8));
        assertErrno(VerbsException.EINVAL, () -> postBind(1, window, 1, Long.MAX_VALUE));
        try (MemoryRegion unbindable =
                        other.domain.register(other.memory, EnumSet.complementOf(EnumSet.of(AccessFlag.MW_BIND)));
                MemoryRegion unwritable = other.domain.register(other.memory, Set.of(AccessFlag.MW_BIND))) {
            MemoryRegion closed = other.domain.register(other.memory, EnumSet.allOf(AccessFlag.class));
            closed.close();
            for (MemoryRegion region : new MemoryRegion[] {unbindable, unwritable, closed, one.region}) {
                assertErrno(
                        VerbsException.EINVAL,
                        () -> other.queuePair.postSend(request.bind(1, window, region, region.address(), 8)));
            }
        }
        assertErrno(VerbsException.EINVAL, () -> {
            request.bind(1, window, other.region, other.region.address(), 8);
            request.windowAccess = Set.of(AccessFlag.LOCAL_WRITE);
            other.queuePair.postSend(request);
        });
        assertErrno(
                VerbsException.EINVAL,
                () -> one.queuePair.postSend(request.bind(1, window, one.region, one.region.address(), 8)));
        bind(window);
        window.close();
    }

    @Test
    void aRegionStaysWhileAWindowIsBoundToIt() {
        MemoryWindow window = connectWithWindow();
        MemoryRegion region = other.domain.register(other.memory, EnumSet.allOf(AccessFlag.class));
        other.queuePair.postSend(request.bind(1, window, region, region.address(), 8));
        awaitSuccess(other);
        assertErrno(VerbsException.EBUSY, region::close);
        assertWritten(window.remoteKey(), 0, 8);
        invalidate(window);
        region.close();
        assertRefused(window.remoteKey(), 0, 8);
        window.close();
    }

    @Test
    void aClosedWindowIsRefusedAndLetsTheRegionGo() {
        MemoryWindow window = connectWithWindow();
        MemoryRegion region = other.domain.register(other.memory, EnumSet.allOf(AccessFlag.class));
        other.queuePair.postSend(request.bind(1, window, region, region.address(), 8));
        awaitSuccess(other);
        assertErrno(VerbsException.EBUSY, other.domain::close);
        window.close();
        window.close();
        assertThat(window.isBound()).isFalse();
        region.close();
        assertRefused(window.remoteKey(), 0, 8);
    }

    @Test
    void windowsEndWithTheirQueuePair() {
        MemoryWindow bound = connectWithWindow();
        MemoryWindow second = other.domain.allocateWindow();
        MemoryWindow free = other.domain.allocateWindow();
        bind(bound);
        bind(second);
        other.queuePair.close();
        assertThat(bound.isBound() || second.isBound()).isFalse();
        other.region.close();
        free.close();
        other.domain.close();
    }

    @Test
    void windowsEndWithAResetOfTheirQueuePair() {
        MemoryWindow window = connectWithWindow();
        MemoryWindow free = other.domain.allocateWindow();
        bind(window);
        one.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        other.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        Endpoint.connect(one, other);
        assertThat(window.isBound()).isFalse();
        assertErrno(VerbsException.EINVAL, () -> postBind(3, window, OFFSET, LENGTH));
        bind(free);
        assertWritten(free.remoteKey(), OFFSET, LENGTH);
        assertRefused(window.remoteKey(), OFFSET, 8);
        free.close();
    }

    @Test
    void aBindIsDoneBeforeWhatIsPostedAfterIt() {
        MemoryWindow window = connectWithWindow();
        one.receive(5, 0, 16);
        postBind(1, window, OFFSET, LENGTH);
        other.send(2, 0, 8);
        awaitSuccess(one);
        assertWritten(window.remoteKey(), OFFSET, LENGTH);
        window.close();
    }

    @Test
    void anInvalidationIsDoneBeforeWhatIsPostedAfterIt() {
        MemoryWindow window = connectWithWindow();
        bind(window);
        one.receive(5, 0, 16);
        other.queuePair.postSend(request.invalidate(1, window));
        other.send(2, 0, 8);
        awaitSuccess(one);
        assertRefused(window.remoteKey(), OFFSET, LENGTH);
        window.close();
    }

    @Test
    void windowsWorkCompletesInOrderWithOtherWork() {
        MemoryWindow window = connectWithWindow();
        other.write(1, 0, 32_768, one, 0);
        postBind(2, window, OFFSET, LENGTH);
        other.write(3, 0, 8, one, 0);
        other.queuePair.postSend(request.invalidate(4, window));
        postBind(5, window, 0, 8);
        other.write(6, 0, 32_768, one, 0);
        awaitCompletions(other, 6);
        assertThat(other.completed).extracting(Completion::workId).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(other.completed).extracting(Completion::status).containsOnly(WorkStatus.SUCCESS);
        assertThat(other.completed)
                .extracting(Completion::opcode)
                .containsExactly(
                        WorkCompletion.Opcode.RDMA_WRITE,
                        WorkCompletion.Opcode.BIND_MW,
                        WorkCompletion.Opcode.RDMA_WRITE,
                        WorkCompletion.Opcode.LOCAL_INV,
                        WorkCompletion.Opcode.BIND_MW,
                        WorkCompletion.Opcode.RDMA_WRITE);
        assertWritten(window.remoteKey(), 0, 8);
        window.close();
    }

    @Test
    void windowsWorkTakesSlotsOfTheSendQueue() {
        connect(settings -> settings.sendDepth = 4);
        assumeTrue(fixture.second().attributes().hasMemoryWindows(), "this device has no windows of type 2");
        try (MemoryWindow window = other.domain.allocateWindow()) {
            for (int round = 0; round < 10; round++) {
                postUnsignaled(request.bind(1, window, other.region, other.region.address(), 8));
                postUnsignaled(request.invalidate(2, window));
                postUnsignaled(request.bind(3, window, other.region, other.region.address(), 8));
                other.queuePair.postSend(request.invalidate(4, window));
                assertErrno(VerbsException.ENOMEM, () -> postBind(5, window, 0, 8));
                assertThat(window.isBound()).isFalse();
                awaitCompletions(other, 1);
                assertThat(other.completed).extracting(Completion::workId).containsExactly(4L);
                other.completed.clear();
            }
        }
    }

    private void postUnsignaled(SendWorkRequest work) {
        work.signaled = false;
        other.queuePair.postSend(work);
    }

    @Test
    void windowsWorkOfAFailedQueuePairIsFlushed() {
        MemoryWindow window = connectWithWindow();
        MemoryWindow bound = other.domain.allocateWindow();
        bind(bound);
        other.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
        postBind(1, window, OFFSET, LENGTH);
        other.queuePair.postSend(request.invalidate(2, bound));
        awaitCompletions(other, 2);
        assertThat(other.completed).extracting(Completion::workId).containsExactly(1L, 2L);
        assertThat(other.completed).extracting(Completion::status).containsOnly(WorkStatus.WR_FLUSH_ERR);
        window.close();
        bound.close();
    }
}
