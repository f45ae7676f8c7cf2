package io.tensorferry.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.testing.Property;
import io.tensorferry.verbs.device.MemoryRegion;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RegionTableTest {
    private record Region(int localKey, long address, long byteSize) implements MemoryRegion {
        @Override
        public int remoteKey() {
            return localKey;
        }

        @Override
        public void close() {}
    }

    record Range(long start, long length) {}

    @Test
    void findsARegionExactlyWhereOneHoldsTheWholeRange() {
        Property.check(
                2000,
                draw -> assertFindsARegionExactlyWhereOneHoldsTheWholeRange(
                        draw.list(0, 20, () -> new Range(draw.longOf(1, 100), draw.longOf(1, 40))),
                        draw.longOf(0, 120),
                        draw.longOf(0, 120),
                        draw.longOf(0, 19)));
    }

    private static void assertFindsARegionExactlyWhereOneHoldsTheWholeRange(
            List<Range> registered, long address, long length, long removed) {
        var table = new RegionTable();
        List<Region> regions = IntStream.range(0, registered.size())
                .mapToObj(i -> new Region(i, registered.get(i).start, registered.get(i).length))
                .toList();
        regions.forEach(table::add);
        List<Region> left =
                regions.stream().filter(region -> region.localKey != removed).toList();
        regions.stream().filter(region -> region.localKey == removed).forEach(table::remove);

        MemoryRegion found = table.find(address, length);

        if (left.stream().anyMatch(region -> region.contains(address, length))) {
            assertThat(found).isNotNull().isIn(left);
            assertThat(found.contains(address, length)).isTrue();
        } else {
            assertThat(found).isNull();
        }
    }

    @Test
    void hostileRangesAreNotFound() {
        var table = new RegionTable();
        var region = new Region(1, 1000, 100);
        table.add(region);
        assertThat(table.find(1050, -1)).isNull();
        assertThat(table.find(1050, Long.MAX_VALUE)).isNull();
        assertThat(table.find(Long.MAX_VALUE, 1)).isNull();
        assertThat(table.find(-1, 1)).isNull();
        assertThat(table.find(Long.MIN_VALUE, Long.MIN_VALUE)).isNull();
        assertThat(table.find(1000, 101)).isNull();
        assertThat(table.find(1000, 100)).isSameAs(region);
    }
}
