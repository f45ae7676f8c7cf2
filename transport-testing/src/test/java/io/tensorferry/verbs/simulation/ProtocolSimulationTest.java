package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.CapturedLog;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.statistics.RendezvousStatistics;
import io.tensorferry.verbs.wire.Immediate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random traffic under random faults, each run drawn from one seed: `-Dsimulation.seeds=N` of them in all. A failing
/// seed is named in the message, with the command that runs it alone.
@Timeout(value = 2, unit = TimeUnit.HOURS)
class ProtocolSimulationTest {
    private static final int KINDS = 10;
    private static final int SEEDS_PER_KIND = Math.max(1, Integer.getInteger("simulation.seeds", 400) / KINDS);
    private static final long MILLISECOND_NS = 1_000_000L;
    private static final long SECOND_NS = 1_000 * MILLISECOND_NS;
    private static final long TRAFFIC_NS = 4 * MILLISECOND_NS;
    private static final int STEPS = 4;
    private static final int OTHER_PARTITION = 0x8123;
    private static final int SMALL_WINDOW_BYTES = 16_384;
    private static final Duration FINISH_LIMIT = Duration.ofSeconds(3);

    private enum Fault {
        CANCEL,
        LOST_CALLS,
        KILLED_PEER,
        RESTARTED_PEER,
        FAILED_DEVICE,
        /// Shorter than what a worker waits for a peer to come back.
        HEALED_CUT,
        /// Any length.
        LONG_CUT,
        /// Shorter than what a peer may be silent.
        SHORT_PAUSE,
        /// Any length.
        LONG_PAUSE,
        SLOW_LINKS,
        /// Another LID, GID, GID index or partition key.
        NEW_ADDRESS,
        /// Down for less than a worker waits for a peer to come back.
        FLAPPING_PORT,
        CORRUPTION,
        /// The user's code throws at every place where it can.
        THROWING_USER
    }

    /// What loses a channel and no receive.
    private static final Set<Fault> HEALING = EnumSet.of(Fault.HEALED_CUT, Fault.SHORT_PAUSE, Fault.SLOW_LINKS);

    /// What happens to a port, and loses no receive.
    private static final Set<Fault> OF_PORTS = EnumSet.of(Fault.NEW_ADDRESS, Fault.FLAPPING_PORT, Fault.SLOW_LINKS);

    /// What may lose receives.
    private static final Set<Fault> LOSING = EnumSet.of(
            Fault.LOST_CALLS,
            Fault.KILLED_PEER,
            Fault.RESTARTED_PEER,
            Fault.FAILED_DEVICE,
            Fault.LONG_CUT,
            Fault.LONG_PAUSE);

    @Test
    void everyReceiveGetsItsTensorWhenNothingFails() {
        forEachSeed(1, "everyReceiveGetsItsTensorWhenNothingFails", EnumSet.noneOf(Fault.class));
    }

    @Test
    void everyCallbackRunsOnceWhenReceivesAreCancelledAndStepsAborted() {
        forEachSeed(2, "everyCallbackRunsOnceWhenReceivesAreCancelledAndStepsAborted", EnumSet.of(Fault.CANCEL));
    }

    @Test
    void everyCallbackRunsOnceWhenPeersDie() {
        forEachSeed(3, "everyCallbackRunsOnceWhenPeersDie", EnumSet.of(Fault.KILLED_PEER));
    }

    @Test
    void everyCallbackRunsOnceWhenEverythingFailsAtOnce() {
        forEachSeed(
                4,
                "everyCallbackRunsOnceWhenEverythingFailsAtOnce",
                EnumSet.complementOf(EnumSet.of(Fault.CORRUPTION, Fault.THROWING_USER)));
    }

    @Test
    void corruptedContentIsFoundWhenDataIsValidated() {
        forEachSeed(5, "corruptedContentIsFoundWhenDataIsValidated", EnumSet.of(Fault.CORRUPTION));
    }

    @Test
    void everyCallbackRunsOnceWhenEverythingFailsAndContentIsCorrupted() {
        forEachSeed(
                6,
                "everyCallbackRunsOnceWhenEverythingFailsAndContentIsCorrupted",
                EnumSet.complementOf(EnumSet.of(Fault.THROWING_USER)));
    }

    @Test
    void everyReceiveGetsItsTensorWhenLinksAreCutAndHeal() {
        long lost = forEachSeed(7, "everyReceiveGetsItsTensorWhenLinksAreCutAndHeal", HEALING);
        if (!SeededRuns.isOneAlone()) {
            assertThat(lost).as("channels that were lost").isGreaterThan(SEEDS_PER_KIND);
        }
    }

    @Test
    void everyCallbackRunsOnceWhenPeersAreRestarted() {
        forEachSeed(
                8, "everyCallbackRunsOnceWhenPeersAreRestarted", EnumSet.of(Fault.RESTARTED_PEER, Fault.LONG_PAUSE));
    }

    @Test
    void everyReceiveGetsItsTensorWhenPortsFlapAndChangeTheirAddress() {
        long lost = forEachSeed(9, "everyReceiveGetsItsTensorWhenPortsFlapAndChangeTheirAddress", OF_PORTS);
        if (!SeededRuns.isOneAlone()) {
            assertThat(lost).as("channels that were lost").isGreaterThan(SEEDS_PER_KIND);
        }
    }

    /// Executors, callbacks, allocators, release actions and futures.
    @Test
    void everyCallbackRunsOnceWhenTheUsersCodeThrowsAtEveryPlace() {
        try (var log = CapturedLog.ofTransport()) {
            forEachSeed(
                    10,
                    "everyCallbackRunsOnceWhenTheUsersCodeThrowsAtEveryPlace",
                    EnumSet.of(Fault.THROWING_USER, Fault.CANCEL, Fault.KILLED_PEER, Fault.HEALED_CUT));
            assertThat(log.errors()).isNotEmpty().allMatch(error -> error.contains("a mistake of the user's"));
        }
    }

    /// Found by more seeds than a build runs: the last message of a lost channel, RESUMED, dropped the tensors that had
    /// been taken for requests of that same channel, and their receives waited for ever.
    @Test
    void whatComesLastOverALostChannelDropsNothingOfIt() {
        assertThat(run(7_001_222, HEALING).failures()).isEmpty();
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        for (long seed = 0; seed < 5; seed++) {
            assertThat(run(seed, EnumSet.allOf(Fault.class))).isEqualTo(run(seed, EnumSet.allOf(Fault.class)));
        }
    }

    /// What became of a run.
    ///
    /// @param lostChannels by the workers that lived to the end
    private record Outcome(
            int started, int received, Map<StatusCode, Integer> failures, long lostChannels, long atNs) {}

    /// Returns how many channels were lost in all runs.
    private static long forEachSeed(int kind, String test, Set<Fault> faults) {
        return SeededRuns.sum(
                ProtocolSimulationTest.class, test, kind, SEEDS_PER_KIND, seed -> run(seed, faults).lostChannels);
    }

    /// One run; what becomes of it is the same for the same seed.
    private static Outcome run(long seed, Set<Fault> faults) {
        // A write of at most 4 KiB, so that most tensors take several.
        var options =
                SimulatedFabricOptions.defaults().withMaxMessageBytes(4096).withSpikes(0.01, 5 * MILLISECOND_NS);
        boolean smallWindows = seed / 8 % 2 == 1;
        if (smallWindows) {
            // Of the runs with windows, half have larger receives than one opens.
            options = options.withMaxWindowBytes(SMALL_WINDOW_BYTES);
        }
        if (faults.contains(Fault.SLOW_LINKS) && seed % 2 == 0) {
            options = options.withSpikes(0.1, 50 * MILLISECOND_NS);
        }
        boolean validating = faults.contains(Fault.CORRUPTION) || seed % 4 == 0;
        if (faults.contains(Fault.CORRUPTION)) {
            options = options.withCorruptionProbability(0.05)
                    .withCorruptible(immediate -> immediate != Immediate.CONTROL_MESSAGE);
        }
        var fabric = new SimulatedFabric(seed, options);
        int size = 2 + (int) (seed % 3);
        try (var cluster = new SimulatedCluster(seed, size, fabric, options(seed, validating))) {
            var traffic = new SimulatedTraffic(cluster, faults.contains(Fault.CANCEL), !smallWindows);
            if (faults.contains(Fault.THROWING_USER)) {
                traffic.throwEverywhere(seed);
            }
            traffic.plan(STEPS, 12);
            plan(faults, cluster);
            if (HEALING.containsAll(faults) || OF_PORTS.containsAll(faults)) {
                // Nobody gives up: each receive gets its tensor by itself.
                cluster.run(fabric.now() + 60 * SECOND_NS, () -> fabric.now() > TRAFFIC_NS && traffic.allEnded());
            } else {
                cluster.runFor(2 * SECOND_NS);
            }
            List<CompletableFuture<Void>> ends = endSteps(seed, cluster);
            boolean done = cluster.run(fabric.now() + 60 * SECOND_NS, traffic::allEnded);
            assertThat(done)
                    .as("receives that never ended: %s", traffic.waiting())
                    .isTrue();
            boolean ended = cluster.run(
                    fabric.now() + 60 * SECOND_NS, () -> ends.stream().allMatch(CompletableFuture::isDone));
            assertThat(ended).as("all steps are finished").isTrue();
            cluster.run(fabric.now() + 60 * SECOND_NS, () -> isQuiet(cluster));
            check(faults, cluster, traffic);
            return new Outcome(
                    traffic.started(), traffic.received(), traffic.failures(), lostChannels(cluster), fabric.now());
        }
    }

    /// Half of the runs close their steps, the others finish them.
    private static List<CompletableFuture<Void>> endSteps(long seed, SimulatedCluster cluster) {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (var worker : cluster.living()) {
            for (long step = 0; step < STEPS; step++) {
                if (seed % 2 == 0) {
                    worker.manager.closeStep(step);
                } else {
                    ends.add(worker.manager.finishStep(step, FINISH_LIMIT));
                }
            }
        }
        return ends;
    }

    /// Two of five runs have accelerators, and the RDMA device reaches those of one.
    private static SimulatedCluster.Options options(long seed, boolean validating) {
        var options = (validating ? SimulatedCluster.Options.validating() : SimulatedCluster.Options.defaults())
                .variedBy(seed);
        var gpu = SimulatedCluster.Gpu.small();
        return switch ((int) (seed % 5)) {
            case 0 -> options.withGpu(gpu);
            case 1 -> options.withGpu(gpu.direct());
            default -> options;
        };
    }

    private static void plan(Set<Fault> faults, SimulatedCluster cluster) {
        Random random = cluster.random();
        List<SimulatedCluster.Worker> workers = cluster.living();
        if (faults.contains(Fault.LOST_CALLS)) {
            cluster.failCalls(0.3);
        }
        if (faults.contains(Fault.KILLED_PEER)) {
            cluster.fabric().schedule(random.nextLong(TRAFFIC_NS), () -> cluster.kill(workers.getLast()));
        }
        if (faults.contains(Fault.RESTARTED_PEER) && random.nextBoolean()) {
            restartAfter(random.nextLong(TRAFFIC_NS), cluster, workers.getFirst().name);
            if (random.nextInt(3) == 0) {
                restartAfter(random.nextLong(SECOND_NS), cluster, workers.getFirst().name);
            }
        }
        if (faults.contains(Fault.FAILED_DEVICE) && random.nextBoolean()) {
            cluster.fabric()
                    .schedule(
                            random.nextLong(TRAFFIC_NS), () -> cluster.fabric().failDevice(workers.getFirst().name));
        }
        for (int i = random.nextInt(1, 4); i > 0 && faults.contains(Fault.HEALED_CUT); i--) {
            cut(cluster, random.nextLong(1, 1_500 * MILLISECOND_NS));
        }
        if (faults.contains(Fault.LONG_CUT) && random.nextBoolean()) {
            cut(cluster, random.nextLong(1, 10 * SECOND_NS));
        }
        for (int i = random.nextInt(1, 4); i > 0 && faults.contains(Fault.NEW_ADDRESS); i--) {
            changeAddress(cluster, workers.get(random.nextInt(workers.size())).name);
        }
        for (int i = random.nextInt(0, 3); i > 0 && faults.contains(Fault.FLAPPING_PORT); i--) {
            flap(cluster, workers.get(random.nextInt(workers.size())).name);
        }
        if (faults.contains(Fault.SHORT_PAUSE)) {
            pause(cluster, random.nextLong(1, 500 * MILLISECOND_NS));
        }
        if (faults.contains(Fault.LONG_PAUSE) && random.nextBoolean()) {
            pause(cluster, random.nextLong(1, 5 * SECOND_NS));
        }
    }

    /// For so short that the queue pairs ride it out, or for longer.
    private static void flap(SimulatedCluster cluster, String name) {
        SimulatedFabric fabric = cluster.fabric();
        long atNs = cluster.random().nextLong(TRAFFIC_NS);
        long longestNs = (cluster.random().nextBoolean() ? 200 : 1_500) * MILLISECOND_NS;
        fabric.schedule(atNs, () -> fabric.portDown(name));
        fabric.schedule(atNs + 1 + cluster.random().nextLong(longestNs), () -> fabric.portUp(name));
    }

    private static void changeAddress(SimulatedCluster cluster, String name) {
        SimulatedFabric fabric = cluster.fabric();
        Random random = cluster.random();
        long atNs = random.nextLong(TRAFFIC_NS);
        // Away for less than a worker waits for a peer to come back.
        long backNs = atNs + random.nextLong(500 * MILLISECOND_NS);
        switch (random.nextInt(4)) {
            case 0 -> fabric.schedule(atNs, () -> fabric.changeLid(name));
            case 1 -> {
                fabric.schedule(atNs, () -> fabric.removeGid(name, fabric.gidOf(name)));
                fabric.schedule(backNs, () -> fabric.addGid(name, fabric.gidOf(name)));
            }
            case 2 -> {
                Gid other = Gid.ofIpv4(random.nextInt(Integer.MAX_VALUE));
                fabric.schedule(atNs, () -> fabric.addGid(name, other));
                fabric.schedule(backNs, () -> fabric.removeGid(name, fabric.gidOf(name)));
                fabric.schedule(backNs + SECOND_NS, () -> fabric.addGid(name, fabric.gidOf(name)));
                fabric.schedule(backNs + SECOND_NS, () -> fabric.removeGid(name, other));
            }
            default ->
                cluster.names()
                        .forEach(each -> fabric.schedule(
                                atNs + random.nextLong(500 * MILLISECOND_NS),
                                () -> fabric.changePartitionKey(each, OTHER_PARTITION)));
        }
    }

    private static void restartAfter(long delayNs, SimulatedCluster cluster, String name) {
        cluster.fabric()
                .schedule(
                        delayNs,
                        () -> cluster.living().stream()
                                .filter(worker -> worker.name.equals(name))
                                .toList()
                                .forEach(cluster::restart));
    }

    private static void cut(SimulatedCluster cluster, long lengthNs) {
        var workers = new ArrayList<>(cluster.living());
        var one = workers.remove(cluster.random().nextInt(workers.size()));
        var other = workers.get(cluster.random().nextInt(workers.size()));
        cluster.fabric().schedule(cluster.random().nextLong(TRAFFIC_NS), () -> cluster.cut(one, other, lengthNs));
    }

    private static void pause(SimulatedCluster cluster, long lengthNs) {
        List<SimulatedCluster.Worker> workers = cluster.living();
        var worker = workers.get(cluster.random().nextInt(workers.size()));
        cluster.fabric().schedule(cluster.random().nextLong(TRAFFIC_NS), () -> worker.pause(lengthNs));
    }

    private static long lostChannels(SimulatedCluster cluster) {
        return cluster.living().stream()
                .mapToLong(worker -> worker.adapter.counters().failed())
                .sum();
    }

    private static boolean isQuiet(SimulatedCluster cluster) {
        return cluster.living().stream()
                        .map(worker -> worker.manager.statistics())
                        .allMatch(statistics -> statistics.pendingRequests() == 0 && statistics.pendingResponses() == 0)
                && cluster.living().stream().allMatch(GpuScenario::copiesNothing);
    }

    private static void check(Set<Fault> faults, SimulatedCluster cluster, SimulatedTraffic traffic) {
        Set<StatusCode> explained = EnumSet.noneOf(StatusCode.class);
        if (faults.contains(Fault.CANCEL)) {
            explained.addAll(Set.of(StatusCode.CANCELLED, StatusCode.FAILED_PRECONDITION, StatusCode.ABORTED));
        }
        if (!Collections.disjoint(faults, LOSING)) {
            // ABORTED: the step was closed while the receive waited for a tensor that a lost channel took along.
            explained.addAll(Set.of(StatusCode.UNAVAILABLE, StatusCode.ABORTED));
        }
        if (faults.contains(Fault.CORRUPTION)) {
            explained.add(StatusCode.DATA_LOSS);
        }
        if (faults.contains(Fault.THROWING_USER)) {
            // Of an allocator.
            explained.add(StatusCode.INTERNAL);
        }
        assertThat(traffic.failures().keySet()).isSubsetOf(explained);
        for (var worker : cluster.living()) {
            RendezvousStatistics statistics = worker.manager.statistics();
            assertThat(statistics.openSteps())
                    .as("open steps of %s", worker.name)
                    .isZero();
            assertThat(statistics.pendingRequests())
                    .as("requests of %s", worker.name)
                    .isZero();
            assertThat(statistics.pendingResponses())
                    .as("responses of %s", worker.name)
                    .isZero();
            assertThat(worker.adapter.loop().mistakes())
                    .as("what was thrown on the loop of %s", worker.name)
                    .isZero();
            assertThat(worker.adapter.counters().malformedMessages()).isZero();
            assertThat(worker.adapter.counters().protocolViolations()).isZero();
            worker.manager.close();
            worker.adapter.close();
            assertThat(worker.adapter.memory().statistics().bytesInUse())
                    .as("memory of %s that is not back in the pool", worker.name)
                    .isZero();
            if (worker.gpu != null) {
                GpuScenario.assertNothingLeft(worker.gpu, worker.name);
            }
        }
    }
}
