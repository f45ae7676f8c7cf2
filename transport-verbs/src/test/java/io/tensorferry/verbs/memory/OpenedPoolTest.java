package io.tensorferry.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.statistics.MemoryStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Pools whose slabs have another source than the general pool's, and the actions before all pools end.
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class OpenedPoolTest {
    private static final long SLAB = 1 << 16;
    private static final MemoryOptions OPTIONS = new MemoryOptions(SLAB, MemoryOptions.UNLIMITED);

    private final RecordingDomain domain = new RecordingDomain();
    private final RegisteredMemory memory = new RegisteredMemory(domain, OPTIONS);
    private final RecordingSlabs slabs = new RecordingSlabs(false);

    @AfterEach
    void close() {
        memory.close();
    }

    private static void assertCode(StatusCode code, ThrowingCallable call) {
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.code()).isEqualTo(code));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void hasSlabsAndALimitOfItsOwn() {
        SlabPool pool = memory.openPool(memory.hostSlabs(), new MemoryOptions(4096, 8192));
        try (RegisteredBuffer general = memory.allocate(100);
                RegisteredBuffer own = pool.allocate(100)) {
            assertThat(domain.open()).hasSize(2);
            assertThat(own.region()).isNotSameAs(general.region());
            assertThat(own.segment().address()).isEqualTo(own.address());
            assertThat(memory.regionOf(own.address(), 100)).isSameAs(own.region());
            assertThat(domain.open().getLast().access())
                    .isEqualTo(domain.open().getFirst().access());
            assertThat(memory.statistics().bytesInUse()).isEqualTo(128);
            assertThat(pool.statistics()).isEqualTo(new MemoryStatistics(1, 4096, 128, 128, 1, 0));
            assertCode(StatusCode.RESOURCE_EXHAUSTED, () -> pool.allocate(8192));
            memory.allocate(1 << 20).close();
        }
        assertThat(pool.statistics().bytesInUse()).isZero();
    }

    @Test
    void givesOutMemoryThatTheProcessorDoesNotReach() {
        SlabPool pool = memory.openPool(slabs, OPTIONS);
        assertThat(pool.allocateIfThere(1)).as("there is no slab yet").isNull();
        try (RegisteredBuffer first = pool.allocate(100);
                RegisteredBuffer second = pool.allocateNow(100);
                RegisteredBuffer third = pool.allocateIfThere(SLAB - 256)) {
            assertThat(first.address()).isEqualTo(RecordingSlabs.FIRST_ADDRESS);
            assertThat(second.address()).isEqualTo(RecordingSlabs.FIRST_ADDRESS + 128);
            assertThat(third).isNotNull();
            assertThat(third.address()).isEqualTo(RecordingSlabs.FIRST_ADDRESS + 256);
            assertThat(third.byteSize()).isEqualTo(SLAB - 256);
            assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(first::segment);
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> first.toTensor(DataType.FLOAT, Shape.of(25)));
            assertThatIllegalStateException().isThrownBy(first::region);
            assertThatIllegalStateException().isThrownBy(first::localKey);
            assertThatIllegalStateException().isThrownBy(first::remoteKey);
            assertThat(memory.regionOf(first.address(), 100)).isNull();
        }
        assertThat(pool.statistics().bytesInUse()).isZero();
        assertThat(pool.freeBlockCount()).isEqualTo(1);
    }

    @Test
    void memoryThatTheProcessorDoesNotReachMayBeRegistered() {
        var registered = new RecordingSlabs(true);
        SlabPool pool = memory.openPool(registered, OPTIONS);
        try (RegisteredBuffer _ = pool.allocate(64);
                RegisteredBuffer second = pool.allocate(100)) {
            assertThat(memory.regionOf(second.address(), 100)).isSameAs(second.region());
            assertThat(memory.readableRegionOf(second.address(), 100)).isNull();
            assertThat(second.localKey()).isEqualTo(7);
            assertThat(second.remoteKey()).isEqualTo(-7);
            memory.close();
            assertThat(memory.regionOf(second.address(), 100)).isNull();
        }
    }

    @Test
    void asksForMoreThanAByte() {
        SlabPool pool = memory.openPool(slabs, OPTIONS);
        assertThatIllegalArgumentException().isThrownBy(() -> pool.allocate(0));
        assertThatIllegalArgumentException().isThrownBy(() -> pool.allocateNow(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> pool.allocateIfThere(0));
        assertThat(slabs.events).isEmpty();
    }

    @Test
    void aSlabThatCannotBeHadLeavesThePoolAsItWas() {
        SlabPool pool = memory.openPool(slabs, OPTIONS);
        slabs.openFailure = new TransportException(StatusCode.RESOURCE_EXHAUSTED, "the device is full");
        assertThatThrownBy(() -> pool.allocate(1)).isSameAs(slabs.openFailure);
        assertThat(pool.statistics().slabBytes()).isZero();
        slabs.openFailure = null;
        pool.allocate(1).close();
        assertThat(slabs.events).containsExactly("opened " + SLAB);
    }

    @Test
    void aLargeSlabThatIsOneTooManyIsDeregisteredAndThenFreed() throws InterruptedException {
        SlabPool pool = memory.openPool(slabs, OPTIONS.withIdleBytes(0));
        pool.allocate(2 * SLAB).close();
        while (slabs.events.size() < 3) {
            Thread.sleep(1);
        }
        long bytes = 2 * SLAB;
        assertThat(slabs.events).containsExactly("opened " + bytes, "deregistered " + bytes, "freed " + bytes);
        assertThat(pool.statistics().slabBytes()).isZero();
    }

    @Test
    void endsWithTheMemoryAndItsSlabsWithTheirLastPiece() {
        SlabPool pool = memory.openPool(slabs, OPTIONS);
        RegisteredBuffer out = pool.allocate(1);
        memory.beforeClose(() -> slabs.events.add("stopped"));
        memory.close();
        assertThat(slabs.events).containsExactly("opened " + SLAB, "stopped", "deregistered " + SLAB);
        assertCode(StatusCode.FAILED_PRECONDITION, () -> pool.allocate(1));
        assertCode(StatusCode.FAILED_PRECONDITION, () -> pool.allocateIfThere(1));
        out.close();
        assertThat(slabs.events).last().isEqualTo("freed " + SLAB);
        memory.close();
        out.close();
        assertThat(slabs.events).hasSize(4);
    }

    @Test
    void memoryThatADeviceMayStillReachIsNeverFreed() {
        SlabPool pool = memory.openPool(slabs, OPTIONS);
        RegisteredBuffer out = pool.allocate(1);
        slabs.deregisterFailure = new TransportException(StatusCode.INTERNAL, "the device does not answer");
        memory.close();
        out.close();
        assertThat(slabs.events).containsExactly("opened " + SLAB);
    }

    @Test
    void whoGivesBackTheLastPieceIsNotTroubledByASlabThatCannotBeFreed() {
        SlabPool pool = memory.openPool(slabs, OPTIONS);
        RegisteredBuffer out = pool.allocate(1);
        memory.close();
        slabs.freeFailure = new TransportException(StatusCode.INTERNAL, "the device does not answer");
        out.close();
        assertThat(slabs.events).containsExactly("opened " + SLAB, "deregistered " + SLAB);
    }

    @Test
    void nobodyWaitsForAPoolOfMemoryThatIsAboutToEnd() throws Exception {
        SlabPool pool = memory.openPool(slabs, new MemoryOptions(SLAB, SLAB).withWaitAtLimit(Duration.ofMinutes(10)));
        try (RegisteredBuffer _ = pool.allocate(SLAB)) {
            var allocation = new FutureTask<>(() -> {
                assertCode(StatusCode.RESOURCE_EXHAUSTED, () -> pool.allocate(1));
                return true;
            });
            Thread waiting = Thread.ofVirtual().start(allocation);
            while (waiting.getState() != Thread.State.TIMED_WAITING) {
                assertThat(allocation.isDone())
                        .as("the allocation ended without a wait")
                        .isFalse();
                Thread.sleep(1);
            }
            memory.endWaits();
            assertThat(allocation.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void whatIsToBeDoneBeforeTheEndIsDoneOnceTheLastFirstAndByAll() {
        List<String> done = new ArrayList<>();
        RegisteredBuffer buffer = memory.allocate(1);
        memory.beforeClose(() -> done.add("first, with " + domain.open().size() + " registrations"));
        memory.beforeClose(() -> {
            done.add("second");
            throw new IllegalStateException("a mistake");
        });
        memory.beforeClose(() -> done.add("third"));
        buffer.close();
        memory.close();
        memory.close();
        assertThat(done).containsExactly("third", "second", "first, with 1 registrations");
        assertThat(domain.open()).isEmpty();
    }

    /// The action stops all users of the memory, so no other thread may end registrations meanwhile.
    @Test
    void whatIsToBeDoneBeforeTheEndIsDoneBeforeItForAllWhoClose() throws Exception {
        memory.allocate(1).close();
        var begun = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        memory.beforeClose(() -> {
            begun.countDown();
            await(mayEnd);
        });
        Thread first = Thread.ofPlatform().start(memory::close);
        begun.await();
        Thread second = Thread.ofPlatform().start(memory::close);
        try {
            while (second.getState() != Thread.State.BLOCKED) {
                assertThat(second.isAlive())
                        .as("the second close waits for the first")
                        .isTrue();
                Thread.sleep(1);
            }
            assertThat(domain.open()).hasSize(1);
        } finally {
            mayEnd.countDown();
        }
        first.join();
        second.join();
        assertThat(domain.open()).isEmpty();
    }

    @Test
    void nothingBeginsOnMemoryThatHasEnded() {
        List<String> done = new ArrayList<>();
        memory.close();
        assertCode(StatusCode.FAILED_PRECONDITION, () -> memory.beforeClose(() -> done.add("done")));
        assertCode(StatusCode.FAILED_PRECONDITION, () -> memory.openPool(slabs, OPTIONS));
        memory.close();
        assertThat(done).isEmpty();
        assertThat(slabs.events).isEmpty();
    }

    @Test
    void tensorsOfAPoolOfHostMemoryAreAsAllOthers() {
        SlabPool pool = memory.openPool(memory.hostSlabs(), OPTIONS);
        try (Tensor tensor = pool.allocate(12).toTensor(DataType.FLOAT, Shape.of(3))) {
            tensor.segment().fill((byte) 0);
            assertThat(tensor.toFloatArray()).containsOnly(0);
        }
        assertThat(pool.statistics().bytesInUse()).isZero();
    }
}
