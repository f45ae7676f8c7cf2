package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class TensorTest {
    private final Arena arena = Arena.ofShared();
    private final AtomicInteger freed = new AtomicInteger();

    @AfterEach
    void closeArena() {
        arena.close();
    }

    private Tensor wrap(DataType type, Shape shape) {
        return Tensor.wrap(type, shape, arena.allocate(shape.byteSize(type)), freed::incrementAndGet);
    }

    @Test
    void theMemoryIsFreedOnceWithTheLastHandle() {
        Tensor tensor = wrap(DataType.FLOAT, Shape.of(2, 2));
        Tensor shared = tensor.share();
        tensor.close();
        tensor.close();
        assertThat(tensor.isClosed()).isTrue();
        assertThat(shared.isClosed()).isFalse();
        assertThat(freed).hasValue(0);
        shared.close();
        shared.close();
        assertThat(freed).hasValue(1);
    }

    @Test
    void aHandleThatIsHandedOverIsTheNextOwners() {
        Tensor tensor = Tensor.wrap(DataType.INT32, Shape.of(2), arena.allocate(8), freed::incrementAndGet);
        Tensor next = tensor.handOver();

        assertThat(tensor.isClosed()).isTrue();
        assertThat(tensor).asString().contains("handed over");
        tensor.close();
        assertThat(freed).hasValue(0);
        assertThatIllegalStateException().isThrownBy(tensor::segment).withMessageContaining("handed over before");
        assertThatIllegalStateException().isThrownBy(tensor::handOver).withMessageContaining("handed over before");
        assertThat(next.toIntArray()).containsExactly(0, 0);

        next.close();
        assertThat(freed).hasValue(1);
        assertThatIllegalStateException().isThrownBy(next::handOver).withMessageContaining("is closed");
    }

    /// Of the threads that hand over a handle and those that close it, one succeeds.
    @Test
    void handingOverAndClosingAtOnceFreesTheMemoryExactlyOnce() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 2_000; i++) {
                freed.set(0);
                Tensor tensor = Tensor.wrap(DataType.UINT8, Shape.of(0), MemorySegment.NULL, freed::incrementAndGet);
                Future<?> closing = threads.submit(tensor::close);
                List<Future<Tensor>> taking =
                        List.of(threads.submit(tensor::handOver), threads.submit(tensor::handOver));
                closing.get();
                int taken = 0;
                for (Future<Tensor> each : taking) {
                    try {
                        Tensor next = each.get();
                        assertThat(freed).hasValue(0);
                        next.close();
                        taken++;
                    } catch (ExecutionException e) {
                        assertThat(e).hasCauseInstanceOf(IllegalStateException.class);
                    }
                }
                assertThat(taken).isLessThanOrEqualTo(1);
                assertThat(freed).hasValue(1);
            }
        }
    }

    @Test
    void handlesShareTheMemory() {
        try (Tensor tensor = wrap(DataType.INT32, Shape.of(2));
                Tensor shared = tensor.share()) {
            tensor.asByteBuffer().putInt(4, 42);
            assertThat(shared.toIntArray()).containsExactly(0, 42);
            assertThat(shared.segment().address()).isEqualTo(tensor.segment().address());
            assertThat(shared.dataType()).isEqualTo(DataType.INT32);
            assertThat(shared.shape()).isEqualTo(Shape.of(2));
        }
    }

    @Test
    void aClosedHandleIsNotUsable() {
        Tensor tensor = wrap(DataType.FLOAT, Shape.of(1));
        Tensor other = tensor.share();
        tensor.close();
        assertThatIllegalStateException()
                .isThrownBy(tensor::segment)
                .withMessageContaining("FLOAT tensor of shape [1] is closed");
        assertThatIllegalStateException().isThrownBy(tensor::asByteBuffer);
        assertThatIllegalStateException().isThrownBy(tensor::toFloatArray);
        assertThatIllegalStateException().isThrownBy(tensor::share);
        assertThat(tensor.byteSize()).isEqualTo(4);
        assertThat(tensor).hasToString("Tensor[FLOAT [1], 4 bytes, closed]");
        assertThat(other.toFloatArray()).hasSize(1);
        other.close();
    }

    /// Sharing a handle during its close is a mistake of the caller, but it must not revive freed memory.
    @RepeatedTest(200)
    void sharingAndClosingAtOnceFreesTheMemoryExactlyOnce() throws Exception {
        Tensor tensor = wrap(DataType.FLOAT, Shape.of(1));
        var start = new CountDownLatch(1);
        try (var executor = Executors.newFixedThreadPool(2)) {
            Future<?> sharing = executor.submit(() -> {
                start.await();
                try (Tensor shared = tensor.share()) {
                    assertThat(freed).as("%s is open", shared).hasValue(0);
                } catch (IllegalStateException e) {
                    assertThat(e).hasMessageContaining("closed");
                }
                return null;
            });
            Future<?> closing = executor.submit(() -> {
                start.await();
                tensor.close();
                return null;
            });
            start.countDown();
            sharing.get();
            closing.get();
        }
        assertThat(freed).hasValue(1);
    }

    @Test
    void manyThreadsMayShareAndClose() throws Exception {
        Tensor tensor = wrap(DataType.FLOAT, Shape.of(1));
        try (var executor = Executors.newFixedThreadPool(4)) {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                results.add(executor.submit(() -> {
                    for (int round = 0; round < 10_000; round++) {
                        tensor.share().close();
                    }
                }));
            }
            for (Future<?> result : results) {
                result.get();
            }
        }
        assertThat(freed).hasValue(0);
        tensor.close();
        assertThat(freed).hasValue(1);
    }

    @Test
    void onlyOffHeapMemoryOfTheRightSizeThatAllThreadsReachIsWrapped() {
        Runnable never = () -> {
            throw new AssertionError("a tensor that was not made frees nothing");
        };
        Shape shape = Shape.of(2);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.wrap(DataType.FLOAT, shape, MemorySegment.ofArray(new byte[8]), never))
                .withMessageContaining("off-heap");
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment segment = confined.allocate(8);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Tensor.wrap(DataType.FLOAT, shape, segment, never))
                    .withMessageContaining("confined");
        }
        MemorySegment nine = arena.allocate(9);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.wrap(DataType.FLOAT, shape, nine, never))
                .withMessageContaining("takes 8 bytes, the segment has 9");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.wrap(DataType.FLOAT, shape, nine.asSlice(0, 7), never));
    }

    @Test
    void automaticAndGlobalMemoryIsWrapped() {
        Tensor.wrap(DataType.BOOL, Shape.of(3), Arena.ofAuto().allocate(3), () -> {})
                .close();
        Tensor.wrap(DataType.BOOL, Shape.of(3), Arena.global().allocate(3), () -> {})
                .close();
        Tensor.wrap(DataType.BOOL, Shape.of(0), MemorySegment.NULL, () -> {}).close();
    }

    @Test
    void elementsAreReadAsArraysLittleEndianWhateverTheAlignment() {
        MemorySegment bytes = arena.allocate(17).asSlice(1);
        ByteBuffer buffer = bytes.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        try (Tensor floats = Tensor.wrap(DataType.FLOAT, Shape.of(2, 2), bytes, () -> {});
                Tensor doubles = Tensor.wrap(DataType.DOUBLE, Shape.of(2), bytes, () -> {});
                Tensor ints = Tensor.wrap(DataType.INT32, Shape.of(4), bytes, () -> {});
                Tensor longs = Tensor.wrap(DataType.INT64, Shape.of(2), bytes, () -> {})) {
            buffer.putFloat(0, 1.5f).putFloat(12, -2f);
            assertThat(floats.toFloatArray()).containsExactly(1.5f, 0f, 0f, -2f);
            buffer.putDouble(0, Math.PI).putDouble(8, -0.0);
            assertThat(doubles.toDoubleArray()).containsExactly(Math.PI, -0.0);
            buffer.putInt(0, 1).putInt(4, 2).putInt(8, 3).putInt(12, 4);
            assertThat(ints.toIntArray()).containsExactly(1, 2, 3, 4);
            assertThat(longs.toLongArray()).containsExactly(1 | 2L << 32, 3 | 4L << 32);
            assertThat(ints.asByteBuffer().order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        }
    }

    @Test
    void elementsAreNotReadAsAnotherType() {
        try (Tensor tensor = wrap(DataType.INT64, Shape.of(1))) {
            assertThatIllegalStateException()
                    .isThrownBy(tensor::toDoubleArray)
                    .withMessage("a INT64 tensor cannot be read as DOUBLE");
            assertThatIllegalStateException().isThrownBy(tensor::toStrings);
        }
    }

    @Test
    void aTensorOverTwoGibibytesIsReadAsASegmentOnly(@TempDir Path directory) throws IOException {
        long size = 3L << 30;
        // A file with nothing in it, mapped and not touched, so that no page of it exists.
        try (var file = FileChannel.open(
                directory.resolve("huge"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.SPARSE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            MemorySegment huge = file.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
            try (Tensor tensor = Tensor.wrap(DataType.INT8, Shape.of(size), huge, () -> {})) {
                assertThatThrownBy(tensor::asByteBuffer)
                        .isInstanceOf(UnsupportedOperationException.class)
                        .hasMessageContaining("use segment()");
                assertThat(tensor.segment().byteSize()).isEqualTo(size);
            }
        }
    }
}
