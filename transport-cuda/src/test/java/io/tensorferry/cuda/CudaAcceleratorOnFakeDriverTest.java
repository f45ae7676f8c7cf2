package io.tensorferry.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DmaBuf;
import io.tensorferry.api.HostPin;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Devices, memory, pins and dmabufs of the CUDA classes over the fake driver, whose devices are host memory.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CudaAcceleratorOnFakeDriverTest {
    private static final long GIB = 1L << 30;
    private static final int PAGE = 4096;

    @RegisterExtension
    private final FakeGpus gpus = new FakeGpus();

    @Test
    void itIsNamedAsTheDriverNamesIt() {
        CudaAccelerator gpu = gpus.second();

        assertThat(gpu.type()).isEqualTo("GPU");
        assertThat(gpu.index()).isEqualTo(1);
        assertThat(gpu.hostAccessible()).isFalse();
        assertThat(gpu.description()).isEqualTo("Fake GPU 1, 0000:f1:00.0");
        assertThat(gpu).hasToString("GPU:1");
    }

    @Test
    void memoryIsOfTheDeviceUntilItIsClosed() {
        DeviceMemory memory = gpus.first().allocate(1_000);

        assertThat(memory.device()).isSameAs(gpus.first());
        assertThat(memory.byteSize()).isEqualTo(1_000);
        assertThat(memory.address()).isNotZero();
        assertThat(memory.address() % 256).isZero();
        assertThat(gpus.driver().count(FakeDriver.Count.ALLOCATIONS)).isEqualTo(1);

        memory.close();
        memory.close();

        assertThat(gpus.driver().count(FakeDriver.Count.ALLOCATIONS)).isZero();
    }

    @Test
    void itSaysHowMuchOfItsMemoryIsFree() {
        long before = gpus.first().freeBytes();
        DeviceMemory memory = gpus.first().allocate(1_000);

        assertThat(gpus.first().freeBytes()).isEqualTo(before - 1_000);
        assertThat(gpus.second().freeBytes()).isEqualTo(before);

        memory.close();
        assertThat(gpus.first().freeBytes()).isEqualTo(before);
    }

    @Test
    void aFailureToSayHowMuchIsFreeIsTheDrivers() {
        gpus.driver().failNext("cuMemGetInfo", 999);

        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> gpus.first().freeBytes())
                .withMessage("INTERNAL: cuMemGetInfo: CUDA error 999");
    }

    @Test
    void aDeviceWithoutMemorySaysHowMuchWasWanted() {
        assertThatThrownBy(() -> gpus.first().allocate(2 * GIB))
                .hasMessageContaining("cuMemAlloc of 2147483648 bytes: CUDA_ERROR_OUT_OF_MEMORY (out of memory)")
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.RESOURCE_EXHAUSTED, TransportException::code);
        assertThatIllegalArgumentException().isThrownBy(() -> gpus.first().allocate(0));
    }

    @Test
    void aTensorLivesInItsMemory() {
        DeviceMemory memory = gpus.first().allocate(24);

        try (Tensor tensor =
                Tensor.onDevice(DataType.FLOAT, Shape.of(2, 3), gpus.first(), memory.address(), memory::close)) {
            assertThat(tensor.device()).isSameAs(gpus.first());
            assertThat(tensor.address()).isEqualTo(memory.address());
        }

        assertThat(gpus.driver().count(FakeDriver.Count.ALLOCATIONS)).isZero();
    }

    @Test
    void anErrorThatTheDriverDoesNotKnowIsANumber() {
        gpus.driver().failNext("cuMemAlloc", 12_345);

        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> gpus.first().allocate(1))
                .withMessage("INTERNAL: cuMemAlloc of 1 bytes: CUDA error 12345");
    }

    @Test
    void hostMemoryIsPinnedOnceForAllGpus() {
        MemorySegment memory = gpus.host(8_192);

        HostPin first = gpus.first().pin(memory);
        HostPin second = gpus.second().pin(memory);
        assertThat(gpus.driver().count(FakeDriver.Count.REGISTRATIONS)).isEqualTo(1);

        first.close();
        first.close();
        assertThat(gpus.driver().count(FakeDriver.Count.REGISTRATIONS)).isEqualTo(1);
        second.close();
        assertThat(gpus.driver().count(FakeDriver.Count.REGISTRATIONS)).isZero();

        gpus.second().pin(memory).close();
        assertThat(gpus.driver().count(FakeDriver.Count.REGISTRATIONS)).isZero();
    }

    @Test
    void aGpuIsNotClosedWhileWhatItPinnedServesAnother() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(8_192);
            gpus.first().pin(memory).close();
            HostPin first = gpus.first().pin(memory);
            HostPin second = gpus.second().pin(memory);
            first.close();

            assertThatIllegalStateException().isThrownBy(() -> gpus.first().close());

            second.close();
        }
    }

    @Test
    void memoryThatCannotBePinnedIsRefusedInTheDriversWords() {
        MemorySegment memory = gpus.pinned(8_192);

        assertThatThrownBy(() -> gpus.first().pin(memory.asSlice(64, 64)))
                .hasMessageContaining("cuMemHostRegister of 64 bytes: CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED")
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.RESOURCE_EXHAUSTED, TransportException::code);
        assertThatIllegalArgumentException().isThrownBy(() -> gpus.first().pin(MemorySegment.ofArray(new byte[8])));
        assertThatIllegalArgumentException().isThrownBy(() -> gpus.first().pin(MemorySegment.NULL));
    }

    @Test
    void withoutDmaBufsAnExportSaysWhy() {
        DeviceMemory memory = gpus.closing(gpus.first().allocate(PAGE));

        assertThatThrownBy(() -> gpus.first().export(memory.address(), PAGE))
                .hasMessageContaining("CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0")
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.UNIMPLEMENTED, TransportException::code);
    }

    @Test
    void anExportedRangeIsWhereTheFileSaysUntilItIsClosed() throws Exception {
        gpus.driver().setAttribute(Cuda.CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED(), 1);
        try (CudaAccelerator gpu = CudaDevices.open(0);
                DeviceMemory memory = gpu.allocate(3 * PAGE);
                CudaStream stream = gpu.openStream()) {
            MemorySegment source = gpus.pattern(100, 7);
            stream.copyFromHost(source, memory.address() + 1_000);
            try (CudaEvent copied = stream.record()) {
                copied.await();
            }

            DmaBuf file = gpu.export(memory.address() + 1_000, 100);
            Path entry = Path.of("/proc/self/fd/" + file.fileDescriptor());
            try (FileChannel channel = FileChannel.open(entry);
                    Arena arena = Arena.ofConfined()) {
                MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
                assertThat(file.offset()).isEqualTo(1_000);
                assertThat(mapped.asSlice(file.offset(), 100).mismatch(source)).isEqualTo(-1);
            }

            Path target = Files.readSymbolicLink(entry);
            file.close();
            file.close();
            assertThat(Files.isSymbolicLink(entry)
                            && Files.readSymbolicLink(entry).equals(target))
                    .isFalse();
        }
    }

    @Test
    void copiesOfWhatANicReachesWaitForEachOther() {
        DeviceMemory memory = gpus.closing(gpus.first().allocate(3 * PAGE));

        gpus.first().prepareForNic(memory.address() + 100, 200);
        gpus.first().prepareForNic(memory.address(), 3 * PAGE);

        assertThat(gpus.driver().count(FakeDriver.Count.SYNCHRONOUS)).isEqualTo(1);
    }

    @Test
    void aNicReachesNothingBesideAnAllocation() {
        DeviceMemory memory = gpus.closing(gpus.first().allocate(3 * PAGE));
        long address = memory.address();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> gpus.first().prepareForNic(address + PAGE, 2 * PAGE + 1))
                .withMessageContaining("not within the allocation of " + 3 * PAGE + " bytes");
        assertThatIllegalArgumentException().isThrownBy(() -> gpus.first().prepareForNic(address, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> gpus.first().prepareForNic(address, Long.MAX_VALUE));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gpus.first().prepareForNic(gpus.host(64).address(), 64))
                .withMessageContaining("cuPointerGetAttribute: CUDA_ERROR_INVALID_VALUE (invalid argument)");
        assertThat(gpus.driver().count(FakeDriver.Count.SYNCHRONOUS)).isZero();
    }

    /// The driver refuses the attribute for memory of `cuMemCreate` and of stream-ordered pools.
    @Test
    void copiesOfAllMemoryWaitWhereThatOfANicWasMapped() {
        DeviceMemory memory = gpus.closing(gpus.first().allocate(3 * PAGE));
        gpus.driver().map(memory.address());
        int before = gpus.driver().exchangeFlags(gpus.first().index(), 4);

        gpus.first().prepareForNic(memory.address(), 3 * PAGE);
        gpus.first().prepareForNic(memory.address(), PAGE);

        assertThat(gpus.driver().count(FakeDriver.Count.SYNCHRONOUS)).isZero();
        assertThat(gpus.driver().exchangeFlags(gpus.first().index(), before))
                .as("SYNC_MEMOPS beside what the application has set")
                .isEqualTo(0x80 | 4);
    }

    @Test
    void whereCopiesCannotBeMadeToWaitANicMustNotReachIt() {
        DeviceMemory memory = gpus.closing(gpus.first().allocate(PAGE));
        gpus.driver().map(memory.address());
        gpus.driver().failNext("cuCtxSetFlags", Cuda.CUDA_ERROR_INVALID_VALUE());

        assertThatThrownBy(() -> gpus.first().prepareForNic(memory.address(), PAGE))
                .hasMessageContaining("CUDA_ERROR_NOT_SUPPORTED (operation not supported)")
                .hasMessageContaining("memory of cuMemCreate and of stream-ordered pools")
                .hasMessageContaining("cuCtxSetFlags(CU_CTX_SYNC_MEMOPS): CUDA_ERROR_INVALID_VALUE")
                .hasMessageContaining("CUDA 12.3")
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.UNIMPLEMENTED, TransportException::code);
    }

    @Test
    void whatTheDriverCannotExportIsUnimplementedInItsWords() {
        gpus.driver().setAttribute(Cuda.CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED(), 1);
        try (CudaAccelerator gpu = CudaDevices.open(0);
                DeviceMemory memory = gpu.allocate(3 * PAGE)) {
            assertThatThrownBy(() -> gpu.export(memory.address() + PAGE, PAGE))
                    .hasMessageContaining(
                            "cuMemGetHandleForAddressRange: CUDA_ERROR_NOT_SUPPORTED (operation not supported)")
                    .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                    .returns(StatusCode.UNIMPLEMENTED, TransportException::code);
        }
    }

    @Test
    void whatNicsWriteIsVisibleAsTheDriverSays() {
        int ordering = Cuda.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING();
        int flushes = Cuda.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS();

        assertThat(nicWrites(ordering, 100, flushes, 1)).isEqualTo(NicWrites.VISIBLE);
        assertThat(nicWrites(ordering, 200, flushes, 0)).isEqualTo(NicWrites.VISIBLE);
        assertThat(nicWrites(ordering, 0, flushes, 3)).isEqualTo(NicWrites.AFTER_FLUSH);
        assertThat(nicWrites(ordering, 0, flushes, 2)).isEqualTo(NicWrites.UNUSABLE);
        assertThat(nicWrites(ordering, -1, flushes, -1)).isEqualTo(NicWrites.UNUSABLE);
    }

    private NicWrites nicWrites(int ordering, int orderingValue, int flushes, int flushesValue) {
        gpus.driver().setAttribute(ordering, orderingValue);
        gpus.driver().setAttribute(flushes, flushesValue);
        try (CudaAccelerator gpu = CudaDevices.open(0)) {
            return gpu.nicWrites();
        }
    }

    @Test
    void onlyWhatNeedsAFlushIsFlushed() {
        gpus.first().flushNicWrites();
        assertThat(gpus.driver().count(FakeDriver.Count.FLUSHES)).isEqualTo(1);

        gpus.driver().setAttribute(Cuda.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING(), 100);
        try (CudaAccelerator gpu = CudaDevices.open(0)) {
            assertThatThrownBy(gpu::flushNicWrites)
                    .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                    .returns(StatusCode.UNIMPLEMENTED, TransportException::code);
        }
    }

    @Test
    void aDeviceWithAddressesOfItsOwnIsNotOpened() {
        gpus.driver().setAttribute(Cuda.CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING(), 0);

        assertThatThrownBy(() -> CudaDevices.open(0))
                .hasMessageContaining("CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING is 0")
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.FAILED_PRECONDITION, TransportException::code);
    }

    @Test
    void itIsNotClosedWhileSomethingOfItIsOpen() {
        CudaAccelerator gpu = CudaDevices.open(0);
        DeviceMemory memory = gpu.allocate(1);
        CudaStream stream = gpu.openStream();
        CudaEvent event = stream.record();
        HostPin pin = gpu.pin(gpus.host(64));

        for (AutoCloseable open : List.of(memory, stream, event, pin)) {
            assertThatIllegalStateException().isThrownBy(gpu::close).withMessageContaining("GPU:0 is in use");
            assertThat(close(open)).isNull();
        }

        gpu.close();
        gpu.close();
        assertThatIllegalStateException().isThrownBy(() -> gpu.allocate(1)).withMessage("GPU:0 is closed");
        assertThatIllegalStateException().isThrownBy(gpu::openStream);
    }

    private static Exception close(AutoCloseable open) {
        try {
            open.close();
            return null;
        } catch (Exception e) {
            return e;
        }
    }

    @Test
    void theContextOfTheThreadIsLeftAsItWas() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(Cuda.C_POINTER);
            assertThat(Cuda.cuDevicePrimaryCtxRetain(out, 1)).isZero();
            MemorySegment ofSecond = out.get(Cuda.C_POINTER, 0);
            assertThat(Cuda.cuCtxPushCurrent_v2(ofSecond)).isZero();

            gpus.first().allocate(1).close();
            gpus.driver().failNext("cuMemAlloc", Cuda.CUDA_ERROR_UNKNOWN());
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> gpus.first().allocate(1));

            assertThat(Cuda.cuCtxPopCurrent_v2(out)).isZero();
            assertThat(out.get(Cuda.C_POINTER, 0)).isEqualTo(ofSecond);
            assertThat(Cuda.cuCtxGetCurrent(out)).isZero();
            assertThat(out.get(Cuda.C_POINTER, 0).address()).isZero();
            assertThat(Cuda.cuDevicePrimaryCtxRelease_v2(1)).isZero();
        }
    }

    @Test
    void virtualThreadsOfBothGpusDoNotMixUpContexts() throws Exception {
        int threads = 64;
        int bytes = 1_000;
        var results = new ArrayList<Future<Boolean>>();
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < threads; i++) {
                CudaAccelerator gpu = i % 2 == 0 ? gpus.first() : gpus.second();
                MemorySegment source = gpus.pattern(bytes, i);
                MemorySegment target = gpus.pinned(bytes);
                results.add(executor.submit(() -> thereAndBack(gpu, source, target)));
            }
        }
        for (Future<Boolean> result : results) {
            assertThat(resultOf(result)).isTrue();
        }
    }

    /// An event of one GPU cannot be recorded in a stream of the other: the fake refuses objects of the wrong
    /// context.
    @SuppressWarnings("ThreadPriorityCheck")
    private static boolean thereAndBack(CudaAccelerator gpu, MemorySegment source, MemorySegment target)
            throws InterruptedException {
        try (DeviceMemory memory = gpu.allocate(source.byteSize());
                CudaStream stream = gpu.openStream()) {
            for (int turn = 0; turn < 20; turn++) {
                target.fill((byte) 0);
                stream.copyFromHost(source, memory.address());
                Thread.yield();
                stream.copyToHost(memory.address(), target);
                try (CudaEvent done = stream.record()) {
                    done.await();
                }
                if (target.mismatch(source) != -1) {
                    return false;
                }
            }
            return target.get(ValueLayout.JAVA_BYTE, 1) == source.get(ValueLayout.JAVA_BYTE, 1);
        }
    }

    private static boolean resultOf(Future<Boolean> result) throws InterruptedException, ExecutionException {
        return result.get();
    }
}
