package io.tensorferry.verbs.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.partition.RowPartition;
import io.tensorferry.api.partition.RowRange;
import io.tensorferry.testing.Property;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Planned reads, checked by executing them on an array of row numbers.
class BlockPlanTest {
    private static final List<String> WORKERS = List.of("a", "b", "c", "d");
    private static final RowPartition PARTITION = RowPartition.ofEnds(WORKERS, 10, 10, 25, 40);
    private static final RowRange OWN = PARTITION.range(0);
    private static final ReadRules RULES = new ReadRules(8, true, true, true, true);

    private static BlockPlan plan(ReadRules rules, long... ids) {
        var plan = new BlockPlan();
        plan.plan(ids, 0, ids.length, PARTITION, OWN, RowRange.EMPTY, rules);
        return plan;
    }

    /// Executes the reads; returns the row at each position, -1 where there is none.
    private static long[] carryOut(BlockPlan plan, RowPartition partition) {
        long[] result = new long[plan.rows()];
        Arrays.fill(result, -1);
        for (int owner = 0; owner < partition.workers().size(); owner++) {
            for (int read = plan.firstReadOf(owner); read < plan.firstReadOf(owner + 1); read++) {
                carryOut(plan, read, partition.range(owner), result);
            }
        }
        for (int key = plan.firstKey(plan.readCount()); key < plan.rows(); key++) {
            assertThat(result[plan.position(key)]).isEqualTo(-1);
            result[plan.position(key)] = plan.rowOf(key);
        }
        return result;
    }

    private static void carryOut(BlockPlan plan, int read, RowRange owned, long[] result) {
        int first = plan.firstKey(read);
        long firstRow = plan.rowOf(first);
        long count = plan.rowsOf(read);
        assertThat(firstRow).isGreaterThanOrEqualTo(owned.first());
        assertThat(firstRow + count).isLessThanOrEqualTo(owned.end());
        if (!plan.isCopied(read)) {
            for (int i = 0; i < count; i++) {
                int position = plan.position(first) + i;
                assertThat(result[position]).isEqualTo(-1);
                result[position] = firstRow + i;
            }
        }
        for (int key = first; key < plan.firstKey(read + 1); key++) {
            long row = plan.rowOf(key);
            assertThat(row).isBetween(firstRow, firstRow + count - 1);
            if (plan.isCopied(read)) {
                result[plan.position(key)] = row;
            } else if (plan.isAgain(read, key)) {
                int from = plan.position(first) + (int) (row - firstRow);
                result[plan.position(key)] = result[from];
            }
        }
    }

    @Test
    void rowsOfThisWorkerAreNotRead() {
        BlockPlan plan = plan(RULES, 3, 9, 0, 3);
        assertThat(plan.readCount()).isZero();
        assertThat(plan.localRows()).isEqualTo(4);
        assertThat(carryOut(plan, PARTITION)).containsExactly(3, 9, 0, 3);
    }

    @Test
    void rowsOfTheCopyAreNotRead() {
        var plan = new BlockPlan();
        plan.plan(new long[] {12, 20, 13, 5}, 0, 4, PARTITION, OWN, new RowRange(12, 14), RULES);
        assertThat(plan.readCount()).isEqualTo(1);
        assertThat(plan.localRows()).isEqualTo(3);
        assertThat(carryOut(plan, PARTITION)).containsExactly(12, 20, 13, 5);
    }

    @Test
    void neighboursWhosePlacesAreNeighboursAreOneReadToThere() {
        BlockPlan plan = plan(RULES, 30, 11, 12, 13, 14);
        assertThat(plan.readCount()).isEqualTo(2);
        assertThat(plan.isCopied(0)).isFalse();
        assertThat(plan.rowsOf(0)).isEqualTo(4);
    }

    @Test
    void neighboursWhosePlacesAreApartAreOneReadAndCopied() {
        BlockPlan plan = plan(RULES, 13, 12, 11);
        assertThat(plan.readCount()).isEqualTo(1);
        assertThat(plan.isCopied(0)).isTrue();
        assertThat(carryOut(plan, PARTITION)).containsExactly(13, 12, 11);
        BlockPlan apart = plan(new ReadRules(8, true, true, true, false), 13, 12, 11);
        assertThat(apart.readCount()).isEqualTo(3);
        assertThat(apart.isCopied(0)).isFalse();
    }

    @Test
    void aRowThatIsAskedForAgainIsReadOnce() {
        BlockPlan plan = plan(RULES, 30, 11, 30, 30);
        assertThat(plan.readCount()).isEqualTo(2);
        assertThat(plan.isCopied(1)).isFalse();
        assertThat(plan.rowsOf(1)).isEqualTo(1);
        assertThat(carryOut(plan, PARTITION)).containsExactly(30, 11, 30, 30);
    }

    @Test
    void aReadEndsWithItsOwnersRows() {
        BlockPlan plan = plan(RULES, 23, 24, 25, 26);
        assertThat(plan.readCount()).isEqualTo(2);
        assertThat(plan.firstReadOf(2)).isEqualTo(0);
        assertThat(plan.firstReadOf(3)).isEqualTo(1);
        assertThat(plan.firstReadOf(4)).isEqualTo(2);
    }

    @Test
    void whereNothingIsMergedEachRowIsARead() {
        BlockPlan plan = plan(new ReadRules(8, true, true, false, true), 11, 12, 12, 13);
        assertThat(plan.readCount()).isEqualTo(4);
        assertThat(carryOut(plan, PARTITION)).containsExactly(11, 12, 12, 13);
    }

    @Test
    void addressesAscendOnlyWhereThatIsWanted() {
        assertThat(plan(RULES, 38, 12, 35, 20).rowOf(0)).isEqualTo(12);
        BlockPlan plan = plan(new ReadRules(8, true, false, true, true), 38, 20, 35, 12);
        assertThat(List.of(plan.rowOf(0), plan.rowOf(1), plan.rowOf(2), plan.rowOf(3)))
                .containsExactly(20L, 12L, 38L, 35L);
    }

    @Test
    void noReadIsLongerThanItMayBe() {
        RowPartition one = RowPartition.ofEnds(List.of("me", "other"), 0, 1L << 20);
        long[] ids = new long[10_000];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = i;
        }
        for (boolean direct : new boolean[] {true, false}) {
            var plan = new BlockPlan();
            plan.plan(
                    ids,
                    0,
                    ids.length,
                    one,
                    RowRange.EMPTY,
                    RowRange.EMPTY,
                    new ReadRules(2048, direct, true, true, true));
            long most = direct ? ReadRules.MOST_DIRECT_BYTES : ReadRules.MOST_COPIED_BYTES;
            assertThat(plan.rowsOf(0) * 2048).isEqualTo(most);
            assertThat(plan.readCount()).isEqualTo((int) Math.ceilDiv(ids.length * 2048L, most));
        }
    }

    @Test
    void anIdThatIsNoRowIsRefused() {
        for (long id : new long[] {-1, 40, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> plan(RULES, 1, id))
                    .withMessageContaining(Long.toString(id))
                    .withMessageContaining("position 1");
        }
    }

    @Test
    void everyPositionGetsItsRow() {
        Property.check(
                1000,
                draw -> assertEveryPositionGetsItsRow(
                        new Random(draw.anyLong()),
                        draw.intOf(1, 300),
                        draw.bool(),
                        draw.bool(),
                        draw.bool(),
                        draw.bool()));
    }

    private static void assertEveryPositionGetsItsRow(
            Random random, int count, boolean direct, boolean sorted, boolean merged, boolean copies) {
        long scale = random.nextBoolean() ? 1 : 1L << 38;
        long[] ends = new long[1 + random.nextInt(6)];
        long end = 0;
        for (int i = 0; i < ends.length; i++) {
            end += random.nextInt(50) * scale;
            ends[i] = end;
        }
        ends[ends.length - 1] = ++end;
        RowPartition partition =
                RowPartition.ofEnds(List.of("a", "b", "c", "d", "e", "f").subList(0, ends.length), ends);
        RowRange own = partition.range(random.nextInt(ends.length));
        long replicaFirst = random.nextLong(end);
        var replica = new RowRange(replicaFirst, replicaFirst + random.nextLong(end - replicaFirst + 1));
        long[] ids = new long[count + 7];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = i > 0 && random.nextInt(3) > 0
                    ? Math.clamp(ids[i - 1] + random.nextInt(4) - 1, 0, end - 1)
                    : random.nextLong(end);
        }
        var plan = new BlockPlan();
        ReadRules rules = new ReadRules(1 + random.nextInt(30_000), direct, sorted, merged, copies || !direct);
        // The arrays are used twice.
        plan.plan(ids, 0, 1, partition, own, replica, rules);
        plan.plan(ids, 7, count, partition, own, replica, rules);
        assertThat(carryOut(plan, partition)).containsExactly(Arrays.copyOfRange(ids, 7, 7 + count));
        for (int read = 0; read < plan.readCount(); read++) {
            assertThat(plan.rowsOf(read)).isLessThanOrEqualTo(rules.mostRows(plan.isCopied(read)));
            assertThat(plan.isCopied(read) && direct && !copies).isFalse();
            if (sorted && merged && read > 0) {
                assertThat(plan.rowOf(plan.firstKey(read)))
                        .as("no row is read twice")
                        .isGreaterThanOrEqualTo(plan.rowOf(plan.firstKey(read - 1)) + plan.rowsOf(read - 1));
            }
        }
    }
}
