package io.tensorferry.it.process;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// One tensor of a plan, known to its producer and its consumer alike: what it is, and by `contentSeed` each byte
/// of it.
///
/// @param from the node that sends
/// @param to the node that receives, maybe the same
/// @param dead whether a dead tensor is sent; type and shape then mean nothing
record PlannedTensor(
        long step, String edge, int from, int to, boolean dead, DataType type, Shape shape, long contentSeed) {
    private static final int LONGEST_STRING = 300;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    RendezvousKey key() {
        return RendezvousKey.of(device(from), device(to), edge);
    }

    static DeviceName device(int node) {
        return new DeviceName("node", 0, node, "CPU", 0);
    }

    Tensor make(TensorAllocator allocator) {
        if (type == DataType.STRING) {
            return allocator.allocateStrings(shape, strings());
        }
        Tensor tensor = allocator.allocate(type, shape);
        var random = new SplittableRandom(contentSeed);
        MemorySegment memory = tensor.segment();
        long words = memory.byteSize() / Long.BYTES * Long.BYTES;
        for (long at = 0; at < words; at += Long.BYTES) {
            memory.set(LONG, at, random.nextLong());
        }
        for (long at = words; at < memory.byteSize(); at++) {
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
        }
        return tensor;
    }

    /// Whether `tensor` is this one, byte for byte.
    boolean matches(Tensor tensor) {
        if (dead || tensor.dataType() != type || !tensor.shape().equals(shape)) {
            return false;
        }
        return type == DataType.STRING
                ? Arrays.deepEquals(tensor.toStrings().toArray(), strings().toArray())
                : contentMatches(tensor.segment());
    }

    private boolean contentMatches(MemorySegment memory) {
        var random = new SplittableRandom(contentSeed);
        long words = memory.byteSize() / Long.BYTES * Long.BYTES;
        boolean same = true;
        for (long at = 0; at < words; at += Long.BYTES) {
            same &= memory.get(LONG, at) == random.nextLong();
        }
        for (long at = words; at < memory.byteSize(); at++) {
            same &= memory.get(ValueLayout.JAVA_BYTE, at) == (byte) random.nextInt();
        }
        return same;
    }

    private List<byte[]> strings() {
        var random = new SplittableRandom(contentSeed);
        var strings = new ArrayList<byte[]>();
        for (long i = 0; i < shape.elementCount(); i++) {
            byte[] string = new byte[random.nextInt(LONGEST_STRING)];
            random.nextBytes(string);
            strings.add(string);
        }
        return strings;
    }
}
