package io.tensorferry.api.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.testing.Property;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowPartitionTest {
    private static List<String> workers(int count) {
        var names = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            names.add("w" + i);
        }
        return names;
    }

    @Test
    void anEvenPartitionGivesTheFirstWorkersOneRowMore() {
        RowPartition partition = RowPartition.even(10, workers(4));
        assertThat(partition).isEqualTo(RowPartition.ofEnds(workers(4), 3, 6, 8, 10));
        assertThat(partition.rows()).isEqualTo(10);
        assertThat(partition.rangeOf("w1")).isEqualTo(new RowRange(3, 6));
        assertThat(partition.rangeOf("somebody").isEmpty()).isTrue();
        assertThat(partition.toString()).contains("w3=[8, 10)");
        assertThat(partition).isNotEqualTo(RowPartition.ofEnds(workers(4), 3, 6, 8, 11));
        assertThat(partition.hashCode())
                .isEqualTo(RowPartition.even(10, workers(4)).hashCode());
    }

    @Test
    void workersWithoutRowsOwnNone() {
        RowPartition partition = RowPartition.ofEnds(workers(5), 0, 3, 3, 4, 4);
        assertThat(partition.ownerOf(0)).isEqualTo(1);
        assertThat(partition.ownerOf(3)).isEqualTo(3);
        assertThat(partition.range(0).isEmpty()).isTrue();
        assertThat(partition.range(4).isEmpty()).isTrue();
        assertThat(RowPartition.even(0, workers(2)).rows()).isZero();
    }

    @Test
    void everyRowHasTheOwnerWhoseRangeHoldsIt() {
        // With the largest factor, 20 workers of 5 units have at most MOST_ROWS rows.
        Property.check(
                300,
                draw -> assertEveryRowHasTheOwnerWhoseRangeHoldsIt(
                        draw.list(1, 20, () -> draw.intOf(0, 5)), draw.of(1L, 1L, RowPartition.MOST_ROWS / 100)));
    }

    private static void assertEveryRowHasTheOwnerWhoseRangeHoldsIt(List<Integer> sizes, long scale) {
        long[] ends = new long[sizes.size()];
        long end = 0;
        for (int i = 0; i < ends.length; i++) {
            end += sizes.get(i) * scale;
            ends[i] = end;
        }
        RowPartition partition = RowPartition.ofEnds(workers(ends.length), ends);
        for (int i = 0; i < ends.length; i++) {
            RowRange range = partition.range(i);
            if (!range.isEmpty()) {
                assertThat(partition.ownerOf(range.first())).isEqualTo(i);
                assertThat(partition.ownerOf(range.end() - 1)).isEqualTo(i);
            }
        }
        for (long outside : new long[] {-1, end, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> partition.ownerOf(outside));
        }
    }

    @Test
    void anEvenPartitionHoldsAllRowsAndNoTwoPartsDifferByMoreThanOne() {
        Property.check(300, draw -> {
            long rows = draw.longOf(0, RowPartition.MOST_ROWS);
            int count = draw.intOf(1, 50);
            RowPartition partition = RowPartition.even(rows, workers(count));
            long[] sizes = new long[count];
            for (int i = 0; i < count; i++) {
                sizes[i] = partition.range(i).count();
            }
            assertThat(Arrays.stream(sizes).sum()).isEqualTo(rows).isEqualTo(partition.rows());
            assertThat(sizes[0] - sizes[count - 1]).isBetween(0L, 1L);
        });
    }

    @Test
    void whatIsNoPartitionIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> RowPartition.even(1, List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> RowPartition.even(-1, workers(2)));
        assertThatIllegalArgumentException().isThrownBy(() -> RowPartition.even(3, List.of("w", "w")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RowPartition.even(RowPartition.MOST_ROWS + 1, workers(1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RowPartition.ofEnds(workers(2), 5, 4))
                .withMessageContaining("w1")
                .withMessageContaining("5 or more");
        assertThatIllegalArgumentException().isThrownBy(() -> RowPartition.ofEnds(workers(2), 5));
        assertThatIllegalArgumentException().isThrownBy(() -> new RowRange(3, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new RowRange(-1, 2));
    }

    @Test
    void aSpecificationThatCannotBeIsRefused() {
        RowPartition partition = RowPartition.even(10, workers(2));
        PartitionedTensorSpec spec = PartitionedTensorSpec.of("t", DataType.FLOAT, 512, partition);
        assertThat(spec.rowBytes()).isEqualTo(2048);
        assertThat(spec.shape()).isEqualTo(Shape.of(10, 512));
        assertThat(spec.withReplicated(new RowRange(2, 10)).replicated()).isEqualTo(new RowRange(2, 10));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> spec.withReplicated(new RowRange(2, 11)))
                .withMessageContaining("its rows, 10");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PartitionedTensorSpec.of("", DataType.FLOAT, 1, partition));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PartitionedTensorSpec.of("t", DataType.STRING, 1, partition));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PartitionedTensorSpec.of("t", DataType.FLOAT, -1, partition));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PartitionedTensorSpec.of("t", DataType.FLOAT, Long.MAX_VALUE / 2, partition));
    }

    @Test
    void optionsAreChecked() {
        GatherOptions options = GatherOptions.defaults()
                .withQueuePairs(2)
                .withSignalInterval(1)
                .withSorted(false)
                .withMerged(false)
                .withMostCopiedRowBytes(0);
        assertThat(options).isEqualTo(new GatherOptions(2, 1, false, false, 0));
        assertThat(GatherOptions.defaults()).isEqualTo(new GatherOptions(0, 128, true, true, 4096));
        assertThatIllegalArgumentException().isThrownBy(() -> options.withQueuePairs(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> options.withSignalInterval(0));
        assertThatIllegalArgumentException().isThrownBy(() -> options.withMostCopiedRowBytes(-1));
    }
}
