package io.tensorferry.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Copies and events of the CUDA classes over the fake driver, whose devices are host memory.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CudaStreamOnFakeDriverTest {
    private static final int BYTES = 10_000;

    @RegisterExtension
    private final FakeGpus gpus = new FakeGpus();

    @Test
    void bytesGoToTheDeviceAndBack() throws Exception {
        DeviceMemory memory = gpus.closing(gpus.first().allocate(BYTES));
        CudaStream stream = gpus.closing(gpus.first().openStream());
        MemorySegment source = gpus.pattern(BYTES, 1);
        MemorySegment target = gpus.pinned(BYTES);

        stream.copyFromHost(source, memory.address());
        stream.copyToHost(memory.address(), target);
        await(stream);

        assertThat(target.mismatch(source)).isEqualTo(-1);
    }

    @Test
    void partsOfTheMemoryAreCopiedWhereTheyBelong() throws Exception {
        DeviceMemory memory = gpus.closing(gpus.first().allocate(BYTES));
        CudaStream stream = gpus.closing(gpus.first().openStream());
        MemorySegment source = gpus.pattern(BYTES, 2);
        MemorySegment target = gpus.pinned(BYTES);

        stream.copyFromHost(source, memory.address());
        stream.copy(memory.address() + 1, memory.address() + 6_000, 3_000);
        stream.copyToHost(memory.address() + 6_000, target.asSlice(7, 3_000));
        await(stream);

        assertThat(target.asSlice(7, 3_000).mismatch(source.asSlice(1, 3_000))).isEqualTo(-1);
        assertThat(target.get(ValueLayout.JAVA_BYTE, 3_007)).isZero();
    }

    @Test
    void nothingIsCopiedOfNothing() throws Exception {
        CudaStream stream = gpus.closing(gpus.first().openStream());

        stream.copyFromHost(MemorySegment.NULL, 0);
        stream.copyToHost(0, MemorySegment.NULL);
        stream.copy(0, 0, 0);

        await(stream);
    }

    @Test
    void copiesOfPinnedMemoryAreOnlyQueued() throws Exception {
        DeviceMemory memory = gpus.closing(gpus.first().allocate(BYTES));
        CudaStream stream = gpus.closing(gpus.first().openStream());
        MemorySegment source = gpus.pattern(BYTES, 3);
        MemorySegment target = gpus.pinned(BYTES);
        gpus.driver().holdStreams();

        stream.copyFromHost(source, memory.address());
        stream.copyToHost(memory.address(), target);
        try (CudaEvent done = stream.record()) {
            assertThat(done.isReached()).isFalse();
            assertThat(target.mismatch(source)).isNotEqualTo(-1);

            gpus.driver().releaseStreams();
            done.await();

            assertThat(done.isReached()).isTrue();
            assertThat(target.mismatch(source)).isEqualTo(-1);
        }
    }

    @Test
    void aStreamWaitsForTheEventOfAnother() throws Exception {
        copiesBehindAnEventOfTheFirstGpu(gpus.first());
    }

    @Test
    void aStreamWaitsForTheEventOfAnotherGpu() throws Exception {
        copiesBehindAnEventOfTheFirstGpu(gpus.second());
    }

    private void copiesBehindAnEventOfTheFirstGpu(CudaAccelerator consuming) throws Exception {
        DeviceMemory memory = gpus.closing(gpus.first().allocate(BYTES));
        CudaStream producer = gpus.closing(gpus.first().openStream());
        CudaStream consumer = gpus.closing(consuming.openStream());
        MemorySegment source = gpus.pattern(BYTES, 4);
        MemorySegment target = gpus.pinned(BYTES);
        gpus.driver().holdStreams();

        producer.copyFromHost(source, memory.address());
        try (CudaEvent produced = producer.record()) {
            consumer.await(produced);
        }
        consumer.copyToHost(memory.address(), target);
        gpus.driver().releaseStreams();
        await(consumer);

        assertThat(target.mismatch(source)).isEqualTo(-1);
    }

    @Test
    void anEventThatWasClosedServesAgain() throws Exception {
        CudaStream stream = gpus.closing(gpus.first().openStream());
        await(stream);
        int made = gpus.driver().count(FakeDriver.Count.EVENTS_MADE);

        for (int i = 0; i < 1_000; i++) {
            await(stream);
        }

        assertThat(gpus.driver().count(FakeDriver.Count.EVENTS_MADE)).isEqualTo(made);
    }

    @Test
    void anEventThatServesAgainIsNotReachedByWhatItStoodForBefore() throws Exception {
        CudaStream stream = gpus.closing(gpus.first().openStream());
        await(stream);
        gpus.driver().holdStreams();

        try (CudaEvent event = stream.record()) {
            assertThat(event.isReached()).isFalse();
            gpus.driver().releaseStreams();
            event.await();
        }
    }

    @Test
    void manyEventsAtATimeAreAllGivenBack() throws Exception {
        CudaStream stream = gpus.closing(gpus.first().openStream());
        var events = new CudaEvent[2_000];

        for (int i = 0; i < events.length; i++) {
            events[i] = stream.record();
        }
        events[events.length - 1].await();
        for (CudaEvent event : events) {
            assertThat(event.isReached()).isTrue();
            event.close();
            event.close();
        }

        assertThat(gpus.driver().count(FakeDriver.Count.EVENTS)).isLessThan(events.length);
    }

    @Test
    void anEventThatCannotBeRecordedIsGivenBack() throws Exception {
        CudaStream stream = gpus.closing(gpus.first().openStream());
        await(stream);

        // The GPU is not closed after this while an event of it is open.
        for (String function : new String[] {"cuCtxPushCurrent", "cuEventRecord"}) {
            gpus.driver().failNext(function, Cuda.CUDA_ERROR_UNKNOWN());
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(stream::record)
                    .withMessageContaining(function);
        }
    }

    @Test
    void aStreamThatIsClosedDoesWhatIsQueued() throws Exception {
        DeviceMemory memory = gpus.closing(gpus.first().allocate(BYTES));
        CudaStream stream = gpus.first().openStream();
        MemorySegment source = gpus.pattern(BYTES, 7);
        MemorySegment target = gpus.pinned(BYTES);
        gpus.driver().holdStreams();
        stream.copyFromHost(source, memory.address());
        stream.copyToHost(memory.address(), target);
        CudaEvent done = gpus.closing(stream.record());

        stream.close();
        assertThat(done.isReached()).isFalse();
        gpus.driver().releaseStreams();
        done.await();

        assertThat(target.mismatch(source)).isEqualTo(-1);
    }

    @Test
    void waitingCanBeInterrupted() throws Exception {
        CudaStream stream = gpus.closing(gpus.first().openStream());
        gpus.driver().holdStreams();
        CudaEvent event = gpus.closing(stream.record());
        var ended = new CompletableFuture<String>();
        var begun = new CountDownLatch(1);

        Thread waiting = Thread.startVirtualThread(() -> {
            begun.countDown();
            try {
                event.await();
                ended.complete("reached");
            } catch (InterruptedException e) {
                ended.complete("interrupted");
            }
        });
        begun.await();
        waiting.interrupt();

        assertThat(ended.get(30, TimeUnit.SECONDS)).isEqualTo("interrupted");
    }

    @Test
    void whatIsClosedIsNotUsed() {
        CudaStream stream = gpus.first().openStream();
        CudaEvent event = stream.record();
        CudaStream other = gpus.closing(gpus.first().openStream());

        event.close();
        stream.close();
        stream.close();

        assertThatIllegalStateException().isThrownBy(event::isReached);
        assertThatIllegalStateException().isThrownBy(() -> other.await(event));
        assertThatIllegalStateException().isThrownBy(stream::record);
        assertThatIllegalStateException().isThrownBy(() -> stream.copy(0, 0, 1));
    }

    @Test
    void onlyMemoryThatCanBeCopiedIsTaken() {
        CudaStream stream = gpus.closing(gpus.first().openStream());
        DeviceMemory memory = gpus.closing(gpus.first().allocate(BYTES));
        MemorySegment onTheHeap = MemorySegment.ofArray(new byte[8]);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> stream.copyFromHost(onTheHeap, memory.address()))
                .withMessageContaining("off-heap");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stream.copyToHost(memory.address(), onTheHeap))
                .withMessageContaining("off-heap");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> stream.copyToHost(memory.address(), gpus.pinned(8).asReadOnly()))
                .withMessageContaining("read-only");
    }

    @Test
    void aCopyBeyondTheEndIsRefusedInTheDriversWords() {
        CudaStream stream = gpus.closing(gpus.first().openStream());
        DeviceMemory memory = gpus.closing(gpus.first().allocate(BYTES));
        MemorySegment target = gpus.pinned(BYTES);

        assertThatThrownBy(() -> stream.copyToHost(memory.address() + 1, target))
                .hasMessageContaining("cuMemcpyDtoHAsync: CUDA_ERROR_INVALID_VALUE (invalid argument)")
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.INTERNAL, TransportException::code);
    }

    @Test
    void aBrokenDeviceIsToldByItsEventsAndCanStillBeClosed() {
        CudaStream stream = gpus.first().openStream();
        DeviceMemory memory = gpus.first().allocate(BYTES);
        CudaEvent event = stream.record();
        gpus.driver().breakDevice(0, Cuda.CUDA_ERROR_ILLEGAL_ADDRESS());

        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(event::isReached)
                .withMessageContaining("cuEventQuery: CUDA_ERROR_ILLEGAL_ADDRESS")
                .withMessageContaining("(an illegal memory access was encountered)");
        assertThatExceptionOfType(TransportException.class).isThrownBy(event::await);
        assertThatExceptionOfType(TransportException.class).isThrownBy(stream::record);

        gpus.driver().breakDevice(0, Cuda.CUDA_SUCCESS());
        event.close();
        memory.close();
        stream.close();
    }

    @Test
    void whatCannotBeGivenBackIsNoFailureOfWhoeverClosesIt() {
        DeviceMemory memory = gpus.first().allocate(BYTES);
        gpus.driver().failNext("cuMemFree", Cuda.CUDA_ERROR_ILLEGAL_ADDRESS());

        memory.close();

        // So that nothing is left behind here.
        assertThat(inContextOfFirst(() -> Cuda.cuMemFree_v2(memory.address()))).isZero();
    }

    @Test
    void aStreamAndAnEventOfTheApplicationStayItsOwn() throws Exception {
        DeviceMemory memory = gpus.closing(gpus.first().allocate(BYTES));
        MemorySegment source = gpus.pattern(BYTES, 6);
        MemorySegment target = gpus.pinned(BYTES);
        MemorySegment stream = made(out -> Cuda.cuStreamCreate(out, Cuda.CU_STREAM_NON_BLOCKING()));
        MemorySegment event = made(out -> Cuda.cuEventCreate(out, Cuda.CU_EVENT_DISABLE_TIMING()));

        try (CudaStream wrapped = gpus.first().stream(stream.address())) {
            wrapped.copyFromHost(source, memory.address());
        }
        assertThat(inContextOfFirst(() -> Cuda.cuEventRecord(event, stream))).isZero();
        CudaStream ours = gpus.closing(gpus.first().openStream());
        try (CudaEvent wrapped = gpus.first().event(event.address())) {
            ours.await(wrapped);
        }
        ours.copyToHost(memory.address(), target);
        await(ours);

        assertThat(target.mismatch(source)).isEqualTo(-1);
        assertThat(inContextOfFirst(() -> Cuda.cuEventDestroy_v2(event))).isZero();
        assertThat(inContextOfFirst(() -> Cuda.cuStreamDestroy_v2(stream))).isZero();
    }

    private static void await(CudaStream stream) throws InterruptedException {
        try (CudaEvent event = stream.record()) {
            event.await();
        }
    }

    private interface DriverCall {
        int run();
    }

    private interface MakingCall {
        int run(MemorySegment out);
    }

    private MemorySegment made(MakingCall call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(Cuda.C_POINTER);
            assertThat(inContextOfFirst(() -> call.run(out))).isZero();
            return out.get(Cuda.C_POINTER, 0);
        }
    }

    private static int inContextOfFirst(DriverCall call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment context = arena.allocate(Cuda.C_POINTER);
            assertThat(Cuda.cuDevicePrimaryCtxRetain(context, 0)).isZero();
            assertThat(Cuda.cuCtxPushCurrent_v2(context.get(Cuda.C_POINTER, 0))).isZero();
            int code = call.run();
            assertThat(Cuda.cuCtxPopCurrent_v2(MemorySegment.NULL)).isZero();
            assertThat(Cuda.cuDevicePrimaryCtxRelease_v2(0)).isZero();
            return code;
        }
    }
}
