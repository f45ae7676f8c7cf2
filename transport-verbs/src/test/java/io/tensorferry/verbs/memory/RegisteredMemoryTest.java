package io.tensorferry.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.statistics.MemoryStatistics;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class RegisteredMemoryTest {
    private static final long SLAB = 1 << 16;

    private final RecordingDomain domain = new RecordingDomain();
    private RegisteredMemory memory = new RegisteredMemory(domain, new MemoryOptions(SLAB, MemoryOptions.UNLIMITED));

    @AfterEach
    void close() {
        memory.close();
    }

    private void limitTo(long maximumBytes) {
        memory = new RegisteredMemory(domain, new MemoryOptions(SLAB, maximumBytes));
    }

    @Test
    void registersNothingBeforeTheFirstAllocationAndOneSlabForManyTensors() {
        assertThat(domain.open()).isEmpty();

        for (int i = 0; i < 100; i++) {
            memory.allocator().allocate(DataType.FLOAT, Shape.of(10)).close();
        }
        List<Tensor> tensors = List.of(
                memory.allocator().allocate(DataType.FLOAT, Shape.of(10)),
                memory.allocator().allocate(DataType.DOUBLE, Shape.of(3, 3)));

        assertThat(domain.registrations()).isEqualTo(1);
        assertThat(domain.open().getFirst().byteSize()).isEqualTo(SLAB);
        assertThat(domain.open().getFirst().access())
                .containsExactlyInAnyOrder(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        tensors.forEach(Tensor::close);
        assertThat(domain.open()).as("the slab is kept").hasSize(1);
    }

    @Test
    void aBufferHasTheBytesAskedForAndTheKeysOfItsSlab() {
        try (RegisteredBuffer buffer = memory.allocate(100)) {
            assertThat(buffer.byteSize()).isEqualTo(100);
            assertThat(buffer.segment().byteSize()).isEqualTo(100);
            assertThat(buffer.address()).isEqualTo(buffer.segment().address()).isPositive();
            assertThat(buffer.address() % 64).isZero();
            assertThat(buffer.region()).isSameAs(domain.open().getFirst());
            assertThat(buffer.localKey()).isEqualTo(100);
            assertThat(buffer.remoteKey()).isEqualTo(-100);
            assertThat(memory.regionOf(buffer.address(), 100)).isSameAs(buffer.region());
        }
    }

    @Test
    void freedMemoryIsReusedAtOnceAndASecondCloseFreesNothing() {
        RegisteredBuffer first = memory.allocate(1000);
        long address = first.address();
        first.close();
        RegisteredBuffer second = memory.allocate(1000);
        first.close();
        RegisteredBuffer third = memory.allocate(1000);

        assertThat(second.address()).isEqualTo(address);
        assertThat(third.address()).isNotEqualTo(address);
        second.close();
        third.close();
        assertThat(memory.statistics().bytesInUse()).isZero();
        assertThat(memory.freeBlockCount()).isEqualTo(1);
    }

    @Test
    void aTensorGivesItsMemoryBackWithItsLastHandle() {
        Tensor tensor = memory.allocator().allocate(DataType.INT64, Shape.of(8));
        Tensor shared = tensor.share();
        tensor.close();
        assertThat(memory.statistics().bytesInUse()).isEqualTo(64);
        shared.close();
        assertThat(memory.statistics().bytesInUse()).isZero();
    }

    @Test
    void aTensorOfNoBytesTakesNoMemory() {
        try (Tensor tensor = memory.allocator().allocate(DataType.FLOAT, Shape.of(0, 7))) {
            assertThat(tensor.segment().isNative()).isTrue();
            assertThat(tensor.byteSize()).isZero();
            assertThat(memory.statistics()).isEqualTo(new MemoryStatistics(0, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void aSizeThatContradictsTheShapeIsRefusedAndTakesNoMemory() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> memory.allocator().allocate(DataType.FLOAT, Shape.of(2), 9))
                .withMessageContaining("8 bytes, not 9");
        assertThatIllegalArgumentException().isThrownBy(() -> memory.allocate(0));
        assertThatIllegalArgumentException().isThrownBy(() -> memory.allocate(-1));
        assertThat(memory.statistics().bytesInUse()).isZero();
    }

    @Test
    void aRequestLargerThanASlabGetsItsOwnWhichWaitsForAnother() {
        RegisteredBuffer small = memory.allocate(64);
        RegisteredBuffer large = memory.allocate(3 * SLAB + 1);
        long address = large.address();
        assertThat(domain.open()).hasSize(2);
        assertThat(memory.statistics().slabBytes()).isEqualTo(SLAB + 3 * SLAB + 4096);

        large.close();
        assertThat(memory.statistics().bytesInUse()).isEqualTo(64);
        try (RegisteredBuffer another = memory.allocate(3 * SLAB);
                RegisteredBuffer atTheSameTime = memory.allocate(3 * SLAB);
                RegisteredBuffer notInIt = memory.allocate(SLAB)) {
            assertThat(another.address()).isEqualTo(address);
            assertThat(atTheSameTime.address()).isNotEqualTo(address);
            assertThat(notInIt.region()).isNotSameAs(another.region());
        }
        small.close();
        assertThat(memory.statistics().bytesInUse()).isZero();
    }

    @Test
    void aMuchSmallerRequestDoesNotTakeALargeSlabThatWaits() {
        memory.allocate(10 * SLAB).close();
        try (RegisteredBuffer smaller = memory.allocate(4 * SLAB)) {
            assertThat(smaller.region().byteSize()).isEqualTo(4 * SLAB);
        }
    }

    @Test
    @Timeout(20)
    void largeSlabsThatAreTooMuchEndTheOldestFirst() throws InterruptedException {
        memory = new RegisteredMemory(domain, new MemoryOptions(SLAB, MemoryOptions.UNLIMITED).withIdleBytes(7 * SLAB));
        RegisteredBuffer first = memory.allocate(3 * SLAB);
        RegisteredBuffer second = memory.allocate(4 * SLAB);
        RegisteredBuffer third = memory.allocate(2 * SLAB);
        MemorySegment ended = first.segment();
        long kept = second.address();

        first.close();
        second.close();
        third.close();

        while (ended.scope().isAlive()) {
            Thread.sleep(1);
        }
        assertThat(domain.open()).hasSize(2);
        assertThat(memory.regionOf(ended.address(), 1)).isNull();
        try (RegisteredBuffer again = memory.allocate(4 * SLAB)) {
            assertThat(again.address()).isEqualTo(kept);
        }
    }

    @Test
    void memoryOfALargeRequestCountsNoMoreOnceItIsGivenBack() {
        limitTo(4 * SLAB);
        for (int i = 0; i < 50; i++) {
            memory.allocate(3 * SLAB).close();
        }
        assertThat(memory.statistics().highWaterBytes()).isEqualTo(3 * SLAB);
    }

    @Test
    void overTheLimitTheErrorNamesWhatWasAskedWhatIsInUseAndTheLimit() {
        limitTo(2 * SLAB);
        try (RegisteredBuffer _ = memory.allocate(SLAB);
                RegisteredBuffer _ = memory.allocate(640)) {
            assertThatThrownBy(() -> memory.allocate(SLAB))
                    .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                    .returns(StatusCode.RESOURCE_EXHAUSTED, TransportException::code)
                    .extracting(Throwable::getMessage, InstanceOfAssertFactories.STRING)
                    .contains("65536 bytes: 66176 bytes are in use", "the limit is 131072");
            assertThatThrownBy(() -> memory.allocate(Long.MAX_VALUE)).isInstanceOf(TransportException.class);
        }
        memory.allocate(SLAB).close();
    }

    @Test
    void nearTheLimitASlabIsAsLargeAsMayBe() {
        limitTo(SLAB + 1000);
        try (RegisteredBuffer _ = memory.allocate(SLAB);
                RegisteredBuffer rest = memory.allocate(900)) {
            assertThat(rest.region().byteSize()).isEqualTo(960);
        }
    }

    @Test
    void idleSlabsMakeRoomForALargeRequest() {
        limitTo(4 * SLAB);
        List<RegisteredBuffer> buffers = List.of(memory.allocate(SLAB), memory.allocate(SLAB), memory.allocate(SLAB));
        buffers.forEach(RegisteredBuffer::close);
        assertThat(memory.statistics().slabs()).isEqualTo(3);

        try (RegisteredBuffer large = memory.allocate(4 * SLAB)) {
            assertThat(large.byteSize()).isEqualTo(4 * SLAB);
            assertThat(memory.statistics().slabs()).isEqualTo(1);
        }
        memory.allocate(SLAB).close();
    }

    @Test
    void idleSlabsGoBeforeTheSystemRefusesMemory() {
        domain.lockableBytes = 4 * SLAB;
        memory.allocate(3 * SLAB).close();
        memory.allocate(SLAB).close();
        assertThat(domain.open()).hasSize(2);

        try (RegisteredBuffer large = memory.allocate(4 * SLAB)) {
            assertThat(large.byteSize()).isEqualTo(4 * SLAB);
            assertThat(domain.open()).hasSize(1);
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> memory.allocate(1))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
        }
        memory.allocate(SLAB).close();
    }

    @Test
    void memoryThatCannotBePinnedIsExhaustionWithWhatTheDeviceSays() {
        var refused = new VerbsException("ibv_reg_mr", VerbsException.ENOMEM, "too much for the limit");
        domain.registerFailure = refused;
        assertThatThrownBy(() -> memory.allocate(1))
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.RESOURCE_EXHAUSTED, TransportException::code)
                .returns(VerbsException.ENOMEM, TransportException::errno)
                .returns(refused, Throwable::getCause)
                .extracting(Throwable::getMessage, InstanceOfAssertFactories.STRING)
                .contains("ibv_reg_mr", "ENOMEM", "too much for the limit");

        domain.registerFailure = null;
        memory.allocate(1).close();
        assertThat(memory.statistics().slabBytes())
                .as("the failed slab is not counted")
                .isEqualTo(SLAB);
    }

    @Test
    void anotherRefusalOfTheDeviceIsAnInternalError() {
        domain.registerFailure = new VerbsException("ibv_reg_mr", VerbsException.EINVAL, "no");
        assertThatThrownBy(() -> memory.allocate(1))
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.INTERNAL, TransportException::code);
    }

    @Test
    void statisticsTellWhatHappened() {
        RegisteredBuffer a = memory.allocate(1);
        RegisteredBuffer b = memory.allocate(65);
        b.close();
        assertThat(memory.statistics()).isEqualTo(new MemoryStatistics(1, SLAB, 64, 192, 2, 0));
        a.close();
    }

    @Test
    void closeEndsEveryRegistrationAndFreesSlabsThatNothingIsOutOf() {
        RegisteredBuffer buffer = memory.allocate(SLAB);
        MemorySegment segment = buffer.segment();
        buffer.close();

        memory.close();
        memory.close();

        assertThat(domain.open()).isEmpty();
        assertThat(segment.scope().isAlive()).isFalse();
        assertThat(memory.statistics().slabBytes()).isZero();
        assertThatThrownBy(() -> memory.allocate(1))
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.FAILED_PRECONDITION, TransportException::code);
    }

    @Test
    void whatIsStillOutAtTheEndStaysReadableUntilItIsClosed() {
        Tensor tensor = memory.allocator().allocate(DataType.INT32, Shape.of(2));
        RegisteredBuffer large = memory.allocate(2 * SLAB);
        MemorySegment segment = tensor.segment();
        segment.setAtIndex(ValueLayout.JAVA_INT, 1, 42);

        memory.close();

        assertThat(domain.open()).as("no device reaches it").isEmpty();
        assertThat(memory.statistics().bytesInUse()).isEqualTo(64 + 2 * SLAB);
        assertThat(tensor.toIntArray()[1]).isEqualTo(42);
        tensor.close();
        large.close();
        assertThat(segment.scope().isAlive()).isFalse();
        assertThat(large.segment().scope().isAlive()).isFalse();
        assertThat(memory.statistics().bytesInUse()).isZero();
    }

    @Test
    void memoryThatCannotBeDeregisteredIsNeverFreed() {
        RegisteredBuffer buffer = memory.allocate(1);
        buffer.close();
        domain.deregisterFailure = new VerbsException("ibv_dereg_mr", VerbsException.EBUSY, "in use");
        memory.close();
        assertThat(buffer.segment().scope().isAlive()).isTrue();
    }
}
