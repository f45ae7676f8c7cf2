package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Makes tensors whose every byte follows from a seed, and checks that a received one has them all.
final class Contents {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Contents() {}

    static Tensor tensor(TensorAllocator allocator, DataType dataType, Shape shape, long seed) {
        Tensor tensor = allocator.allocate(dataType, shape);
        HostView.write(tensor, memory -> fill(memory, seed));
        return tensor;
    }

    private static void fill(MemorySegment memory, long seed) {
        var random = new SplittableRandom(seed);
        long words = memory.byteSize() / Long.BYTES;
        for (long i = 0; i < words; i++) {
            memory.setAtIndex(WORD, i, random.nextLong());
        }
        for (long i = words * Long.BYTES; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        }
    }

    static Tensor bytes(TensorAllocator allocator, long size, long seed) {
        return tensor(allocator, DataType.UINT8, Shape.of(size), seed);
    }

    /// Checks a received tensor against what [#tensor] makes, and closes it.
    static void check(RecvResult result, DataType dataType, Shape shape, long seed) {
        try (Tensor received = result.tensorOrThrow();
                Tensor expected = tensor(TensorAllocator.unregistered(), dataType, shape, seed)) {
            assertThat(received.dataType()).isEqualTo(dataType);
            assertThat(received.shape()).isEqualTo(shape);
            assertThat(received.byteSize()).isEqualTo(expected.byteSize());
            HostView.read(
                    received,
                    memory -> assertThat(expected.segment().mismatch(memory))
                            .as("first byte of %s %s with seed %d that differs", dataType, shape, seed)
                            .isEqualTo(-1));
        }
    }

    static void checkBytes(RecvResult result, long size, long seed) {
        check(result, DataType.UINT8, Shape.of(size), seed);
    }

    /// A tensor to be sent in the place of `tensor`, which is closed when nobody holds that memory any more.
    static Tensor watched(Tensor tensor) {
        return tensor.device() instanceof Accelerator accelerator
                ? Tensor.onDevice(tensor.dataType(), tensor.shape(), accelerator, tensor.address(), tensor::close)
                : Tensor.wrap(tensor.dataType(), tensor.shape(), tensor.segment(), tensor::close);
    }

    static Tensor number(TensorAllocator allocator, int value) {
        Tensor tensor = allocator.allocate(DataType.INT32, Shape.scalar());
        HostView.write(tensor, memory -> memory.set(INT, 0, value));
        return tensor;
    }

    /// Reads what [#number] makes, and closes it.
    static int number(RecvResult result) {
        try (Tensor tensor = result.tensorOrThrow()) {
            return number(tensor);
        }
    }

    static int number(Tensor tensor) {
        int[] value = new int[1];
        HostView.read(tensor, memory -> value[0] = memory.get(INT, 0));
        return value[0];
    }

    static Tensor strings(TensorAllocator allocator, Shape shape, String... elements) {
        var bytes = new ArrayList<byte[]>();
        for (String element : elements) {
            bytes.add(element.getBytes(StandardCharsets.UTF_8));
        }
        return strings(allocator, shape, bytes);
    }

    /// In host memory, where strings always are.
    static Tensor strings(TensorAllocator allocator, Shape shape, List<byte[]> elements) {
        TensorAllocator host = allocator.device().hostAccessible() ? allocator : TensorAllocator.unregistered();
        return host.allocateStrings(shape, elements);
    }

    /// Reads a tensor of strings, and closes it.
    static List<String> strings(RecvResult result) {
        try (Tensor tensor = result.tensorOrThrow()) {
            return tensor.toStrings().stream()
                    .map(element -> new String(element, StandardCharsets.UTF_8))
                    .toList();
        }
    }
}
