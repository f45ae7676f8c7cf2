package io.tensorferry.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.Draw;
import io.tensorferry.testing.Property;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.statistics.MemoryStatistics;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SlabPoolPropertyTest {
    private static final long SLAB = 8192;
    private static final long LIMIT = 6 * SLAB;

    /// A positive number allocates that number of bytes; another number frees the buffer with that index among
    /// all allocated ones.
    private static List<Integer> steps(Draw draw) {
        return draw.list(0, 200, () -> switch (draw.weighted(8, 3, 1, 12)) {
            case 0 -> draw.intOf(1, 1000);
            case 1 -> draw.intOf(1, (int) SLAB);
            case 2 -> draw.intOf((int) SLAB, 3 * (int) SLAB);
            default -> draw.intOf(-50, 0);
        });
    }

    @Test
    void piecesNeverOverlapAndAllOfThemComeBack() {
        Property.check(300, draw -> assertPiecesNeverOverlapAndAllOfThemComeBack(steps(draw)));
    }

    private static void assertPiecesNeverOverlapAndAllOfThemComeBack(List<Integer> steps) {
        var domain = new RecordingDomain();
        var memory = new RegisteredMemory(domain, new MemoryOptions(SLAB, LIMIT));
        var out = new ArrayList<RegisteredBuffer>();
        var ends = new TreeMap<Long, Long>();
        long highWater = 0;
        long allocations = 0;
        for (int step : steps) {
            if (step > 0) {
                RegisteredBuffer buffer = allocateWithinLimit(memory, step);
                if (buffer != null) {
                    allocations++;
                    out.add(buffer);
                    checkNew(buffer, step, ends);
                    fill(buffer);
                }
            } else if (!out.isEmpty()) {
                giveBack(out.remove(-step % out.size()), ends);
            }
            highWater = Math.max(highWater, memory.statistics().bytesInUse());
            checkStatistics(memory.statistics(), out, highWater, allocations);
        }
        out.forEach(buffer -> giveBack(buffer, ends));

        assertThat(memory.statistics().bytesInUse()).isZero();
        long normalSlabs = domain.open().stream()
                .filter(region -> region.byteSize() <= SLAB)
                .count();
        assertThat(memory.freeBlockCount()).as("one free block per slab").isEqualTo((int) normalSlabs);
        memory.close();
        assertThat(domain.open()).isEmpty();
    }

    private static RegisteredBuffer allocateWithinLimit(RegisteredMemory memory, long bytes) {
        try {
            return memory.allocate(bytes);
        } catch (TransportException e) {
            assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
            assertThat(memory.statistics().bytesInUse())
                    .as("nothing is allocated, so it must fit")
                    .isPositive();
            return null;
        }
    }

    private static void checkNew(RegisteredBuffer buffer, long bytes, NavigableMap<Long, Long> ends) {
        assertThat(buffer.byteSize()).isEqualTo(bytes);
        assertThat(buffer.address() % 64).isZero();
        assertThat(buffer.region().contains(buffer.address(), bytes)).isTrue();
        var before = ends.floorEntry(buffer.address());
        assertThat(before == null || before.getValue() <= buffer.address()).isTrue();
        var after = ends.ceilingEntry(buffer.address());
        assertThat(after == null || after.getKey() >= buffer.address() + bytes).isTrue();
        ends.put(buffer.address(), buffer.address() + bytes);
    }

    private static void fill(RegisteredBuffer buffer) {
        buffer.segment().fill((byte) System.identityHashCode(buffer));
    }

    private static void giveBack(RegisteredBuffer buffer, NavigableMap<Long, Long> ends) {
        byte mark = (byte) System.identityHashCode(buffer);
        assertThat(buffer.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(mark);
        ends.remove(buffer.address());
        buffer.close();
    }

    private static void checkStatistics(
            MemoryStatistics now, List<RegisteredBuffer> out, long highWater, long allocations) {
        long granted = out.stream()
                .mapToLong(buffer -> buffer.byteSize() <= SLAB
                        ? SlabBlock.roundUp(buffer.byteSize())
                        : buffer.region().byteSize())
                .sum();
        assertThat(now.bytesInUse()).isEqualTo(granted);
        assertThat(now.slabBytes()).isBetween(now.bytesInUse(), LIMIT);
        assertThat(now.highWaterBytes()).isEqualTo(highWater);
        assertThat(now.allocations()).isEqualTo(allocations);
    }
}
