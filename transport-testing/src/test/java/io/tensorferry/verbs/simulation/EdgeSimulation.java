package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Random edges of one kind under random faults, each run drawn from one seed: `-Dsimulation.seeds=N` gives a tenth of
/// them here. A failing seed is named in the message, with the command that runs it alone.
@Timeout(value = 2, unit = TimeUnit.HOURS)
abstract class EdgeSimulation {
    private static final int KINDS = 6;
    private static final int SEEDS_PER_KIND = Math.max(1, Integer.getInteger("simulation.seeds", 600) / (10 * KINDS));
    private static final int WORKERS = 3;
    private static final int MOST_EDGES = 8;
    private static final int MOST_TENSORS = 40;
    private static final long TRAFFIC_NS = 4 * MILLISECOND_NS;

    private enum Fault {
        /// An end is closed or aborted, either of them, at any time, and the edge perhaps opened again.
        ENDED_EDGE,
        /// Shorter than what a worker waits for a peer to come back.
        HEALED_CUT,
        /// Any length.
        LONG_CUT,
        /// Shorter than what a peer may be silent.
        SHORT_PAUSE,
        /// Any length.
        LONG_PAUSE,
        SLOW_LINKS,
        KILLED_PEER,
        RESTARTED_PEER
    }

    /// What loses a channel and no tensor.
    private static final Set<Fault> HEALING = EnumSet.of(Fault.HEALED_CUT, Fault.SHORT_PAUSE, Fault.SLOW_LINKS);

    /// The faults that may fail an edge that neither end has ended.
    private static final Set<Fault> LOSING =
            EnumSet.of(Fault.LONG_CUT, Fault.LONG_PAUSE, Fault.KILLED_PEER, Fault.RESTARTED_PEER);

    /// What a run opens: an edge of the kind under test. It may be opened again when it has ended.
    interface Drawn {
        /// @param count tensors to be sent
        SimulatedEdge open(Scenario scenario, Random random, int count);
    }

    abstract Drawn drawn(Random random, RendezvousKey key);

    @Test
    void everyTensorArrivesWhenNothingFails() {
        forEachSeed(1, "everyTensorArrivesWhenNothingFails", EnumSet.noneOf(Fault.class));
    }

    @Test
    void everyTensorArrivesWhenLinksAreCutAndHeal() {
        long lost = forEachSeed(2, "everyTensorArrivesWhenLinksAreCutAndHeal", HEALING);
        if (!SeededRuns.isOneAlone()) {
            assertThat(lost).as("channels that were lost").isGreaterThan(SEEDS_PER_KIND);
        }
    }

    @Test
    void bothEndsEndWhenEitherEndsTheEdge() {
        forEachSeed(3, "bothEndsEndWhenEitherEndsTheEdge", EnumSet.of(Fault.ENDED_EDGE));
    }

    @Test
    void bothEndsEndWhenEitherEndsTheEdgeWhileLinksAreCut() {
        Set<Fault> faults = EnumSet.of(Fault.ENDED_EDGE);
        faults.addAll(HEALING);
        forEachSeed(4, "bothEndsEndWhenEitherEndsTheEdgeWhileLinksAreCut", faults);
    }

    @Test
    void theOtherEndEndsWhenPeersDieOrAreRestarted() {
        forEachSeed(
                5,
                "theOtherEndEndsWhenPeersDieOrAreRestarted",
                EnumSet.of(Fault.KILLED_PEER, Fault.RESTARTED_PEER, Fault.LONG_PAUSE));
    }

    @Test
    void everyEndEndsWhenEverythingFailsAtOnce() {
        forEachSeed(6, "everyEndEndsWhenEverythingFailsAtOnce", EnumSet.allOf(Fault.class));
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
    private record Outcome(int sent, int taken, int failed, long lostChannels, long atNs) {}

    /// Returns how many channels were lost in all runs.
    private long forEachSeed(int kind, String test, Set<Fault> faults) {
        return SeededRuns.sum(getClass(), test, kind, SEEDS_PER_KIND, seed -> run(seed, faults).lostChannels);
    }

    /// One run; what becomes of it is the same for the same seed.
    private Outcome run(long seed, Set<Fault> faults) {
        // A write of at most 4 KiB, so that the larger tensors take several.
        var network =
                SimulatedFabricOptions.defaults().withMaxMessageBytes(4096).withSpikes(0.02, 2 * MILLISECOND_NS);
        if (faults.contains(Fault.SLOW_LINKS) && seed % 2 == 0) {
            network = network.withSpikes(0.1, 20 * MILLISECOND_NS);
        }
        var options = SimulatedCluster.Options.defaults().variedBy(seed);
        try (var scenario = new Scenario(seed, WORKERS, 0, options, network)) {
            return new Run(scenario, new Random(seed), faults).run();
        }
    }

    /// The edges of one run.
    private final class Run {
        private final Scenario scenario;
        private final Random random;
        private final Set<Fault> faults;
        private final boolean losing;
        private final List<SimulatedEdge> edges = new ArrayList<>();
        private final List<SimulatedEdge> endedByPlan = new ArrayList<>();
        private final List<SimulatedEdge> closedByProducer = new ArrayList<>();
        private final Set<SimulatedEdge> openedAgain = new HashSet<>();
        private final Set<SimulatedEdge> secondLives = new HashSet<>();
        private final Map<SimulatedEdge, Drawn> drawn = new HashMap<>();
        private boolean ending;
        // Edges that are to be opened again, and are not yet.
        private int awaited;

        Run(Scenario scenario, Random random, Set<Fault> faults) {
            this.scenario = scenario;
            this.random = random;
            this.faults = faults;
            this.losing = !Collections.disjoint(faults, LOSING);
        }

        Outcome run() {
            int count = 2 + random.nextInt(MOST_EDGES - 1);
            for (int i = 0; i < count; i++) {
                String name = "edge" + i;
                // Some before the faults, some among them.
                later(random.nextInt(3) == 0 ? random.nextLong(TRAFFIC_NS) : 0, () -> {
                    RendezvousKey key = key(name);
                    open(key, drawn(random, key));
                });
            }
            plan();
            scenario.runFor(TRAFFIC_NS);
            if (losing) {
                scenario.runFor(20 * SECOND_NS);
            } else {
                await(() -> awaited == 0 && edges.stream().allMatch(this::isDone), "all tensors");
                check();
            }
            end();
            int taken = edges.stream().mapToInt(SimulatedEdge::taken).sum();
            int sent = edges.stream().mapToInt(SimulatedEdge::sent).sum();
            int failed = (int)
                    edges.stream().filter(edge -> edge.receiveFailure() != null).count();
            return new Outcome(sent, taken, failed, lostChannels(), scenario.fabric.now());
        }

        private boolean isDone(SimulatedEdge edge) {
            return edge.isDone() || metAnEarlierConsumer(edge);
        }

        /// Whether the producer of an edge that was opened again has accepted the last offer of the consumer before, on
        /// a channel whose loss it heard of later than that consumer, and has learnt since that it is gone.
        private boolean metAnEarlierConsumer(SimulatedEdge edge) {
            return secondLives.contains(edge)
                    && edge.sender.ended().isDone()
                    && !edge.receiver.opened().isDone();
        }

        private void await(Supplier<Boolean> condition, String what) {
            boolean met = scenario.cluster.run(scenario.fabric.now() + 60 * SECOND_NS, condition);
            assertThat(met)
                    .as("%s, %d edges to be opened again, %s", what, awaited, edges)
                    .isTrue();
        }

        private void later(long delayNs, Runnable action) {
            scenario.fabric.schedule(1 + delayNs, action);
        }

        private RendezvousKey key(String name) {
            int producer = random.nextInt(WORKERS);
            int consumer = (producer + 1 + random.nextInt(WORKERS - 1)) % WORKERS;
            return Scenario.key(producer, consumer, name);
        }

        private @Nullable SimulatedEdge open(RendezvousKey key, Drawn edge) {
            if (ending
                    || !scenario.worker(key.source().task()).isAlive()
                    || !scenario.worker(key.destination().task()).isAlive()) {
                return null;
            }
            SimulatedEdge opened = edge.open(scenario, random, random.nextInt(MOST_TENSORS));
            drawn.put(opened, edge);
            edges.add(opened);
            if (faults.contains(Fault.ENDED_EDGE) && random.nextInt(3) > 0) {
                later(random.nextLong(TRAFFIC_NS), () -> endByPlan(opened));
            }
            return opened;
        }

        private void endByPlan(SimulatedEdge edge) {
            endedByPlan.add(edge);
            switch (random.nextInt(4)) {
                case 0 -> {
                    closedByProducer.add(edge);
                    edge.closeSender();
                }
                case 1 -> edge.closeReceiver();
                case 2 -> edge.abortSender(cancelled("the producer"));
                default -> edge.abortReceiver(cancelled("the consumer"));
            }
            if (!edge.sender.opened().isDone()) {
                // A consumer is not told of an end that it has not met.
                later(random.nextLong(MILLISECOND_NS), edge::closeReceiver);
            }
            if (random.nextBoolean()) {
                later(1, () -> openAgain(edge));
            }
        }

        private static TransportException cancelled(String who) {
            return new TransportException(StatusCode.CANCELLED, who + " has had enough");
        }

        /// Another edge of the same key, as soon as there may be one.
        private void openAgain(SimulatedEdge before) {
            if (openedAgain.add(before)) {
                awaited++;
                openWhenEnded(before);
            }
        }

        private void openWhenEnded(SimulatedEdge before) {
            if (isDone(before)) {
                close(before);
            }
            if (before.hasEnded()) {
                awaited--;
                secondLives.add(open(before.key, drawn.get(before)));
            } else {
                later(random.nextLong(MILLISECOND_NS), () -> openWhenEnded(before));
            }
        }

        private void close(SimulatedEdge edge) {
            edge.closeSender();
            edge.closeReceiver();
            if (losing || !edge.sender.opened().isDone()) {
                // Its consumer may never come.
                edge.abortSender(cancelled("the producer"));
            }
        }

        private void plan() {
            if (faults.contains(Fault.KILLED_PEER) && random.nextBoolean()) {
                later(random.nextLong(TRAFFIC_NS), () -> scenario.cluster.kill(scenario.worker(WORKERS - 1)));
            }
            if (faults.contains(Fault.RESTARTED_PEER) && random.nextBoolean()) {
                restartAfter(random.nextLong(TRAFFIC_NS));
                if (random.nextInt(3) == 0) {
                    restartAfter(random.nextLong(SECOND_NS));
                }
            }
            for (int i = random.nextInt(1, 4); i > 0 && faults.contains(Fault.HEALED_CUT); i--) {
                cut(random.nextLong(1, 1_500 * MILLISECOND_NS));
            }
            if (faults.contains(Fault.LONG_CUT) && random.nextBoolean()) {
                cut(random.nextLong(1, 10 * SECOND_NS));
            }
            if (faults.contains(Fault.SHORT_PAUSE)) {
                pause(random.nextLong(1, 500 * MILLISECOND_NS));
            }
            if (faults.contains(Fault.LONG_PAUSE) && random.nextBoolean()) {
                pause(random.nextLong(1, 5 * SECOND_NS));
            }
        }

        private void restartAfter(long delayNs) {
            later(delayNs, () -> {
                scenario.cluster.restart(scenario.worker(0));
                for (SimulatedEdge edge : List.copyOf(edges)) {
                    if (!edge.isAlive() && random.nextBoolean()) {
                        openAgain(edge);
                    }
                }
            });
        }

        private void cut(long lengthNs) {
            int one = random.nextInt(WORKERS);
            int other = (one + 1 + random.nextInt(WORKERS - 1)) % WORKERS;
            later(
                    random.nextLong(TRAFFIC_NS),
                    () -> scenario.cluster.cut(scenario.worker(one), scenario.worker(other), lengthNs));
        }

        private void pause(long lengthNs) {
            int worker = random.nextInt(WORKERS);
            later(random.nextLong(TRAFFIC_NS), () -> {
                if (scenario.worker(worker).isAlive()) {
                    scenario.worker(worker).pause(lengthNs);
                }
            });
        }

        /// If no process was lost, an edge that neither end has ended delivers all tensors, and one that its producer
        /// has closed delivers the tensors sent before.
        private void check() {
            for (SimulatedEdge edge : edges) {
                TransportException failure = edge.receiveFailure();
                if (!endedByPlan.contains(edge) && !metAnEarlierConsumer(edge)) {
                    edge.assertAllArrived();
                } else if (failure != null) {
                    assertThat(failure.code()).as("%s", edge).isIn(StatusCode.ABORTED, StatusCode.CANCELLED);
                    if (closedByProducer.contains(edge)) {
                        assertThat(edge.taken()).as("tensors of %s", edge).isEqualTo(edge.sent());
                    }
                }
            }
        }

        private void end() {
            ending = true;
            edges.forEach(this::close);
            await(() -> edges.stream().allMatch(SimulatedEdge::hasEnded), "every end ends");
            // What the last to close has asked of its loop.
            scenario.runFor(MILLISECOND_NS);
            for (var worker : scenario.cluster.living()) {
                assertThat(worker.adapter.counters().malformedMessages()).isZero();
                assertThat(worker.adapter.counters().protocolViolations()).isZero();
                assertThat(worker.edges.statistics().senders()).isZero();
                assertThat(worker.edges.statistics().receivers()).isZero();
            }
            scenario.end();
        }

        private long lostChannels() {
            return scenario.cluster.living().stream()
                    .mapToLong(worker -> worker.adapter.counters().failed())
                    .sum();
        }
    }
}
