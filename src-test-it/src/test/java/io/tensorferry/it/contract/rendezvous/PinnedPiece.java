package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.HostPin;
import io.tensorferry.api.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Fills tensors on an accelerator and compares them, however large or many they are, through one piece of pinned
/// host memory and in one stream. For one thread.
final class PinnedPiece implements AutoCloseable {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L;
    private static final long BYTES = 16L << 20;
    private static final int PAGE = 4096;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment piece = arena.allocate(BYTES, PAGE);
    private final MemorySegment expected = arena.allocate(BYTES, PAGE);
    private final DeviceStream stream;
    private final HostPin pin;

    PinnedPiece(Accelerator device) {
        this.stream = device.openStream();
        this.pin = device.pin(piece);
    }

    /// Has a tensor's every byte follow from its place and from `seed`, when this returns.
    void fill(Tensor tensor, long seed) throws InterruptedException {
        for (long offset = 0; offset < tensor.byteSize(); offset += BYTES) {
            MemorySegment part = piece.asSlice(0, Math.min(BYTES, tensor.byteSize() - offset));
            write(part, offset, seed);
            stream.copyFromHost(part, tensor.address() + offset);
            await();
        }
    }

    /// Checks that a tensor, whose content is there, has what [#fill] writes.
    void check(Tensor tensor, long seed) throws InterruptedException {
        for (long offset = 0; offset < tensor.byteSize(); offset += BYTES) {
            long bytes = Math.min(BYTES, tensor.byteSize() - offset);
            MemorySegment part = piece.asSlice(0, bytes);
            stream.copyToHost(tensor.address() + offset, part);
            await();
            write(expected.asSlice(0, bytes), offset, seed);
            assertThat(part.mismatch(expected.asSlice(0, bytes)))
                    .as("first byte behind byte %d of %s, with seed %d, that differs", offset, tensor, seed)
                    .isEqualTo(-1);
        }
    }

    /// What a tensor has from byte `offset` on, a multiple of 8.
    static void write(MemorySegment memory, long offset, long seed) {
        long words = memory.byteSize() / Long.BYTES;
        long first = offset / Long.BYTES;
        for (long i = 0; i < words; i++) {
            memory.setAtIndex(WORD, i, word(first + i, seed));
        }
        for (long i = words * Long.BYTES; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) word(first + i, seed));
        }
    }

    private static long word(long index, long seed) {
        return (index + 1) * FACTOR + seed;
    }

    private void await() throws InterruptedException {
        try (DeviceEvent done = stream.record()) {
            done.await();
        }
    }

    @Override
    public void close() {
        pin.close();
        stream.close();
        arena.close();
    }
}
