package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.partition.GatherOptions;
import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.api.partition.RowPartition;
import io.tensorferry.api.partition.RowRange;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.statistics.PartitionStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Partitioned tensors that are opened, read, cut off and closed in every order.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PartScenarioTest {
    private static final int SEEDS = SeededRuns.ofScenario(100);
    // Longer than the retries of a queue pair, shorter than the patience with a peer that has gone.
    private static final long CUT_NS = 1_200 * MILLISECOND_NS;
    private static final long[] COLUMNS = {1, 7, 100, 2048, 10_000};

    private static Scenario scenario(long seed, int workers) {
        var network =
                SimulatedFabricOptions.defaults().withMaxMessageBytes(4096).withSpikes(0.02, 2_000_000);
        return new Scenario(
                seed, workers, 0, SimulatedCluster.Options.defaults().variedBy(seed), network);
    }

    private static GatherOptions drawnOptions(Random random) {
        return new GatherOptions(
                random.nextInt(4),
                1 + random.nextInt(200),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextInt(5000));
    }

    private static SimulatedRows drawnRows(Scenario scenario, Random random, int workers) {
        long columns = COLUMNS[random.nextInt(COLUMNS.length)];
        RowPartition partition = SimulatedRows.even(random.nextInt(1, 300), workers);
        return new SimulatedRows(scenario, partition, columns);
    }

    private static PartitionStatistics statistics(Scenario scenario, int worker) {
        return scenario.worker(worker).partitions.statistics();
    }

    @Test
    void everyRowComesToItsPlace() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed, 3)) {
                var random = new Random(seed);
                try (var rows = drawnRows(scenario, random, 3)) {
                    var batches = new ArrayList<SimulatedRows.Batch>();
                    for (int i = 0; i < 6; i++) {
                        long[] ids = rows.drawIds(random, random.nextInt(200));
                        batches.add(rows.new Batch(i % 3, ids, drawnOptions(random), random.nextInt(4) > 0));
                    }
                    batches.forEach(SimulatedRows.Batch::assertSucceeds);
                    batches.forEach(SimulatedRows.Batch::close);
                }
                scenario.end();
            }
        }
    }

    @Test
    void rowsThatAreLargerThanWhatIsCopiedArrive() {
        for (boolean registered : new boolean[] {true, false}) {
            try (var scenario = new Scenario(3, 2)) {
                try (var rows = new SimulatedRows(scenario, SimulatedRows.even(4, 2), 700_001)) {
                    try (var batch = rows.new Batch(0, new long[] {3, 0, 2, 3}, GatherOptions.defaults(), registered)) {
                        batch.assertSucceeds();
                    }
                }
                scenario.end();
            }
        }
    }

    @Test
    void rowsWithoutColumnsAndGathersWithoutIdsEndAtOnce() {
        try (var scenario = new Scenario(3, 2)) {
            try (var rows = new SimulatedRows(scenario, SimulatedRows.even(4, 2), 0);
                    var batch = rows.gather(0, new long[] {3, 0, 2, 3})) {
                batch.assertSucceeds();
            }
            try (var rows = new SimulatedRows(scenario, SimulatedRows.even(4, 2), 5);
                    var batch = rows.gather(0, new long[0])) {
                batch.assertSucceeds();
            }
            scenario.end();
        }
    }

    @Test
    void aLostChannelLosesNoRow() {
        long again = 0;
        long lost = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed, 2)) {
                var random = new Random(seed);
                try (var rows = new SimulatedRows(scenario, SimulatedRows.even(5_000, 2), 2_048)) {
                    rows.awaitReady();
                    var batches = new ArrayList<SimulatedRows.Batch>();
                    for (int i = 0; i < 4; i++) {
                        batches.add(rows.gather(i % 2, rows.drawIds(random, 2_000), drawnOptions(random)));
                    }
                    scenario.fabric.schedule(
                            random.nextLong(3 * MILLISECOND_NS),
                            () -> scenario.fabric.partition(
                                    SimulatedCluster.name(0), SimulatedCluster.name(1), CUT_NS));
                    batches.forEach(SimulatedRows.Batch::assertSucceeds);
                    batches.forEach(SimulatedRows.Batch::close);
                    again += statistics(scenario, 0).readsAgain();
                    lost += scenario.worker(0).adapter.counters().failed();
                }
                scenario.end();
            }
        }
        assertThat(lost).as("channels that were lost in all").isGreaterThan(SEEDS / 2);
        assertThat(again).as("reads that were done again").isGreaterThan(SEEDS);
    }

    @Test
    void aPeerThatIsGoneFailsTheGathersOfItsRowsAlone() {
        for (long seed = 0; seed < 20; seed++) {
            try (var scenario = scenario(seed, 3)) {
                var random = new Random(seed);
                try (var rows = new SimulatedRows(scenario, SimulatedRows.even(6_000, 3), 2_048)) {
                    rows.awaitReady();
                    var failing = rows.gather(0, rows.drawIds(random, 5_000), drawnOptions(random));
                    scenario.fabric.schedule(
                            1 + random.nextLong(MILLISECOND_NS / 10), () -> scenario.cluster.kill(scenario.worker(2)));
                    assertThat(failing.failure().peer()).isEqualTo(SimulatedCluster.name(2));
                    failing.assertFails(StatusCode.UNAVAILABLE, "");
                    try (var others = rows.gather(0, new long[] {2_000, 3_999, 5})) {
                        others.assertSucceeds();
                    }
                    try (var later = rows.gather(1, new long[] {5_999})) {
                        later.assertFails(StatusCode.UNAVAILABLE, SimulatedCluster.name(2));
                    }
                    failing.close();
                }
                scenario.end();
            }
        }
    }

    @Test
    void aPeerThatIsRestartedFailsGathersUntilItHasPublishedAgain() {
        for (long seed = 0; seed < 20; seed++) {
            try (var scenario = scenario(seed, 2)) {
                var random = new Random(seed);
                try (var rows = new SimulatedRows(scenario, SimulatedRows.even(3_000, 2), 2_048)) {
                    rows.awaitReady();
                    // More reads than can be under way.
                    var failing = rows.gather(
                            0,
                            rows.drawIds(random, 20_000),
                            drawnOptions(random).withMerged(false));
                    scenario.runFor(1 + random.nextLong(MILLISECOND_NS / 10));
                    scenario.cluster.restart(scenario.worker(1));
                    rows.reopen(1);
                    TransportException failure = failing.failure();
                    assertThat(failure.code()).isIn(StatusCode.ABORTED, StatusCode.UNAVAILABLE);
                    assertThat(failure.peer()).isEqualTo(SimulatedCluster.name(1));
                    try (var later = rows.gather(0, rows.drawIds(random, 100))) {
                        later.assertSucceeds();
                    }
                    failing.close();
                }
                scenario.end();
            }
        }
    }

    @Test
    void gathersWaitForRowsToBePublished() {
        try (var scenario = new Scenario(1, 2)) {
            try (var rows = new SimulatedRows(scenario, SimulatedRows.even(10, 2), 8)) {
                rows.ends.get(1).close();
                scenario.await(() -> rows.ends.get(1).ended().isDone(), "it is closed");
                rows.ends.get(0).close();
                rows.ends.set(0, rows.open(0));
                SimulatedRows.fill(rows.ends.get(0).localRows(), 0, 5, 8);
                var batch = rows.gather(0, new long[] {9, 1});
                scenario.runFor(100 * MILLISECOND_NS);
                rows.ends.set(1, rows.open(1));
                scenario.runFor(100 * MILLISECOND_NS);
                assertThat(batch.done()).isNotDone();
                assertThat(rows.ends.get(0).ready()).isNotDone();
                SimulatedRows.fill(rows.ends.get(1).localRows(), 5, 5, 8);
                rows.ends.get(1).publish();
                batch.assertSucceeds();
                assertThat(rows.ends.get(0).ready()).isCompleted();
                batch.close();
            }
            scenario.end();
        }
    }

    @Test
    void aTensorThatIsClosedFailsItsGathersAndGivesItsMemoryBack() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed, 2)) {
                var random = new Random(seed);
                try (var rows = new SimulatedRows(scenario, SimulatedRows.even(3_000, 2), 2_048)) {
                    rows.awaitReady();
                    int closing = random.nextInt(2);
                    PartitionedTensor end = rows.ends.get(closing);
                    try (var batch = rows.gather(0, rows.drawIds(random, 20_000), drawnOptions(random))) {
                        scenario.runFor(1 + random.nextLong(MILLISECOND_NS / 10));
                        end.close();
                        batch.assertFails(StatusCode.ABORTED, "closed");
                        scenario.await(() -> end.ended().isDone(), "its memory is given back");
                    }
                    assertThatIllegalStateException()
                            .isThrownBy(() -> rows.gather(closing, new long[] {1}))
                            .withMessageContaining("closed");
                    try (var late = rows.gather(1 - closing, rows.drawIds(random, 100))) {
                        late.assertFails(StatusCode.ABORTED, "closed");
                    }
                }
                scenario.end();
            }
        }
    }

    @Test
    void aGatherThatIsCancelledEndsAndGivesItsMemoryBack() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var scenario = scenario(seed, 2)) {
                var random = new Random(seed);
                try (var rows = new SimulatedRows(scenario, SimulatedRows.even(3_000, 2), 2_048)) {
                    rows.awaitReady();
                    try (var batch = rows.gather(0, rows.drawIds(random, 20_000), drawnOptions(random))) {
                        scenario.runFor(1 + random.nextLong(MILLISECOND_NS / 10));
                        batch.gather.cancel();
                        batch.assertFails(StatusCode.CANCELLED, "cancelled");
                        batch.gather.cancel();
                    }
                    try (var next = rows.gather(0, rows.drawIds(random, 100))) {
                        next.assertSucceeds();
                    }
                }
                scenario.end();
            }
        }
    }

    @Test
    void workersThatDisagreeDoNotReadEachOther() {
        try (var scenario = new Scenario(1, 3)) {
            try (var rows = new SimulatedRows(scenario, SimulatedRows.even(10, 2), 8)) {
                List<String> names = rows.spec.partition().workers();
                PartitionedTensorSpec[] others = {
                    PartitionedTensorSpec.of(SimulatedRows.NAME, DataType.UINT8, 8, RowPartition.ofEnds(names, 4, 10)),
                    PartitionedTensorSpec.of(SimulatedRows.NAME, DataType.INT8, 8, rows.spec.partition()),
                    PartitionedTensorSpec.of(SimulatedRows.NAME, DataType.UINT8, 9, rows.spec.partition())
                };
                for (PartitionedTensorSpec other : others) {
                    PartitionedTensor wrong = scenario.worker(2).partitions.open(other);
                    scenario.await(() -> wrong.ready().isDone(), "they find out");
                    assertThat(wrong.ready().exceptionNow())
                            .hasMessageContaining("the workers disagree")
                            .hasMessageContaining("INVALID_ARGUMENT");
                    wrong.close();
                    scenario.await(() -> wrong.ended().isDone(), "it is closed");
                }
                // One that has no rows itself.
                PartitionedTensor right = scenario.worker(2).partitions.open(rows.spec);
                scenario.await(() -> right.ready().isDone(), "it agrees");
                assertThat(right.ready()).isCompleted();
                assertThat(right.localRange().isEmpty()).isTrue();
                right.close();
            }
            scenario.end();
        }
    }

    @Test
    void whatCannotBeGatheredIsRefusedBeforeAnythingIsRead() {
        try (var scenario = new Scenario(1, 2)) {
            try (var rows = new SimulatedRows(scenario, SimulatedRows.even(10, 2), 8)) {
                PartitionedTensor end = rows.ends.getFirst();
                try (Tensor out = Scenario.bytes(scenario.worker(0), 16, 0)) {
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> end.gather(new long[] {1, 2}, out))
                            .withMessageContaining("[2, 8]");
                }
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> rows.gather(0, new long[] {1, 9, 10, -1}))
                        .withMessageContaining("id 10 at position 2")
                        .withMessageContaining("rows 0 to 9");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> rows.gather(0, new long[] {-1}))
                        .withMessageContaining("id -1 at position 0");
                assertThatIllegalStateException().isThrownBy(() -> rows.open(0)).withMessageContaining("open already");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> scenario.worker(0)
                                .partitions
                                .open(PartitionedTensorSpec.of(
                                        "x", DataType.UINT8, 1, RowPartition.even(1, List.of("nobody")))))
                        .withMessageContaining("not a member");
                assertThat(statistics(scenario, 0).gathersUnderWay()).isZero();
            }
            scenario.end();
        }
    }

    @Test
    void rowsThatAreHereAreNotRead() {
        try (var scenario = new Scenario(1, 2)) {
            var partition = SimulatedRows.even(10, 2);
            try (var rows = new SimulatedRows(scenario, partition, 8)) {
                rows.awaitReady();
                try (var batch = rows.gather(0, new long[] {0, 4, 4, 2})) {
                    batch.assertSucceeds();
                }
                assertThat(statistics(scenario, 0).reads()).isZero();
                rows.ends.get(0).close();
                PartitionedTensor end =
                        scenario.worker(0).partitions.open(rows.spec.withReplicated(new RowRange(5, 8)));
                rows.ends.set(0, end);
                SimulatedRows.fill(end.localRows(), 0, 5, 8);
                Tensor copy = Tensor.wrap(DataType.UINT8, Shape.of(3, 8), end.replicatedRows(), () -> {});
                var filling = end.gather(new long[] {5, 6, 7}, copy);
                scenario.await(() -> filling.done().isDone(), "the copy is filled");
                copy.close();
                end.useReplica();
                long before = statistics(scenario, 0).reads();
                assertThat(before).isEqualTo(1);
                try (var batch = rows.gather(0, new long[] {7, 1, 5, 6})) {
                    batch.assertSucceeds();
                }
                assertThat(statistics(scenario, 0).reads()).isEqualTo(before);
                assertThat(statistics(scenario, 0).localRows()).isEqualTo(8);
            }
            scenario.end();
        }
    }

    @Test
    void rowsNextToEachOtherAndRowsAskedForTwiceAreOneRead() {
        try (var scenario = new Scenario(1, 2)) {
            try (var rows = new SimulatedRows(scenario, SimulatedRows.even(100, 2), 8)) {
                long[] ids = {73, 71, 90, 72, 73, 51, 90};
                long before = 0;
                for (boolean merged : new boolean[] {true, false}) {
                    try (var batch =
                            rows.gather(0, ids, GatherOptions.defaults().withMerged(merged))) {
                        batch.assertSucceeds();
                    }
                    long reads = statistics(scenario, 0).reads() - before;
                    assertThat(reads).isEqualTo(merged ? 3 : ids.length);
                    before += reads;
                }
            }
            scenario.end();
        }
    }
}
