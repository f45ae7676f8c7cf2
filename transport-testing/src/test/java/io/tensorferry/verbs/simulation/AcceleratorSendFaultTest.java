package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.config.AcceleratorOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A fault occurs while a tensor on an accelerator is sent: the receiver gets the tensor or the failure's cause, and
/// the sender gets its memory back.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AcceleratorSendFaultTest {
    private static final int SEEDS = SeededRuns.ofScenario(200);
    // Longer than the retries of a queue pair, shorter than the patience with a peer that has gone.
    private static final long CUT_NS = 1_200 * MILLISECOND_NS;

    private static TransportException illegalAccess() {
        return new TransportException(StatusCode.INTERNAL, "an illegal memory access was encountered");
    }

    private static GpuScenario gpus(long seed, boolean validating) {
        var network =
                SimulatedFabricOptions.defaults().withMaxMessageBytes(4096).withSpikes(0.02, 2_000_000);
        var options = validating ? SimulatedCluster.Options.validating() : SimulatedCluster.Options.defaults();
        // Now and then there are so few proxies that they are waited for.
        var proxies =
                AcceleratorOptions.defaults().withPieces(16_384, 4).withProxyBytes(seed % 3 == 0 ? 1 << 16 : 1 << 20);
        var gpu = new SimulatedCluster.Gpu(proxies, SimulatedAcceleratorOptions.defaults());
        return new GpuScenario(seed, 2, options.variedBy(seed).withGpu(gpu), network);
    }

    /// Tensors from worker 0 to worker 1, some of which wait for an event, each sent and asked for at a time of its
    /// own.
    private static final class Traffic {
        private static final int TRANSFERS = 30;
        private static final int MOST_BYTES = 60_000;

        private record Transfer(Scenario.Receive receive, int size, int value) {}

        private final GpuScenario gpus;
        private final GpuScenario.Producer producer;
        final List<Transfer> transfers = new ArrayList<>();

        Traffic(GpuScenario gpus, Random random, long lastNs) {
            this.gpus = gpus;
            this.producer = gpus.new Producer();
            for (int i = 0; i < TRANSFERS; i++) {
                String edge = "edge" + i;
                int size = random.nextInt(random.nextInt(MOST_BYTES) + 1);
                int value = i;
                boolean late = random.nextInt(4) == 0;
                gpus.scenario.fabric.schedule(random.nextLong(lastNs), () -> send(edge, size, value, late));
                gpus.scenario.fabric.schedule(
                        random.nextLong(lastNs),
                        () -> transfers.add(new Transfer(gpus.scenario.receive(0, 1, 1, edge), size, value)));
            }
            gpus.scenario.fabric.schedule(random.nextLong(2 * lastNs), producer::reach);
        }

        private void send(String edge, int size, int value, boolean late) {
            try {
                Tensor tensor = gpus.tensor(0, GpuScenario.content(size, value));
                gpus.scenario.send(0, 1, 1, edge, late ? tensor.readyAfter(producer.event()) : tensor);
            } catch (TransportException _) {
                // The accelerator is broken, or the step has ended.
            }
        }

        void await() {
            gpus.scenario.await(() -> transfers.size() == TRANSFERS, "all receives begin");
            gpus.scenario.awaitAll();
        }

        void closeReceived() {
            transfers.forEach(transfer -> transfer.receive.close());
        }

        void assertOnceAndRight() {
            for (Transfer transfer : transfers) {
                gpus.assertContent(transfer.receive, transfer.size, transfer.value);
            }
        }
    }

    @Test
    void aCutInTheMiddleLosesNoTensor() {
        long lost = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var gpus = gpus(seed, seed % 5 == 0)) {
                var random = new Random(seed);
                var traffic = new Traffic(gpus, random, 4 * MILLISECOND_NS);
                gpus.scenario.fabric.schedule(random.nextLong(4 * MILLISECOND_NS), () -> cut(gpus));
                traffic.await();
                traffic.assertOnceAndRight();
                lost += gpus.scenario.worker(0).adapter.counters().failed();
                gpus.end();
                traffic.producer.assertNothingLeft();
            }
        }
        assertThat(lost).as("channels that were lost in all").isGreaterThan(SEEDS / 2);
    }

    private static void cut(GpuScenario gpus) {
        gpus.scenario.fabric.partition(SimulatedCluster.name(0), SimulatedCluster.name(1), CUT_NS);
    }

    /// The channel is lost while nothing but copies is under way: nothing of the write was posted.
    @Test
    void aChannelThatIsLostDuringTheCopiesLosesNoTensor() {
        long lost = 0;
        for (long seed = 0; seed < 48; seed++) {
            try (var gpus = gpus(seed, false)) {
                gpus.exchange(0, 1, 1, "before", 10, 1);
                gpus.gpu(0).hold();
                gpus.send(0, 1, 1, "edge", 60_000, 2);
                var receive = gpus.scenario.receive(0, 1, 1, "edge");
                gpus.scenario.await(() -> gpus.statistics(0).sendProxyBytes() > 0, "copies wait");
                cut(gpus);
                if (seed % 2 == 0) {
                    // The receiver asks again before the copies end, and that is no reason to lose the next channel.
                    gpus.scenario.runFor(2 * CUT_NS);
                    gpus.scenario.exchange(0, 1, 1, "meanwhile", 100, 3);
                    long before = gpus.scenario.worker(0).adapter.counters().failed();
                    gpus.scenario.runFor(CUT_NS);
                    assertThat(gpus.scenario.worker(0).adapter.counters().failed())
                            .isEqualTo(before);
                } else {
                    gpus.scenario.runFor(CUT_NS / 2);
                }
                gpus.gpu(0).release();
                gpus.scenario.await(receive::hasEnded, "the receive ends");
                gpus.assertContent(receive, 60_000, 2);
                lost += gpus.scenario.worker(0).adapter.counters().failed();
                gpus.end();
            }
        }
        assertThat(lost).as("channels that were lost in all").isGreaterThan(24);
    }

    @Test
    void aReceiverThatGivesUpAtAnyMomentLeavesNothing() {
        int cancelled = 0;
        int received = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var gpus = gpus(seed, seed % 5 == 0)) {
                gpus.exchange(0, 1, 1, "before", 10, 1);
                gpus.send(0, 1, 1, "edge", 60_000, 2);
                var receive = gpus.scenario.receive(0, 1, 1, "edge");
                gpus.scenario.runFor(new Random(seed).nextLong(400_000));
                receive.cancel();
                gpus.scenario.await(receive::hasEnded, "the receive ends");
                if (receive.isFailure()) {
                    cancelled++;
                } else {
                    received++;
                    gpus.assertContent(receive, 60_000, 2);
                }
                gpus.scenario.await(gpus::isQuiet, "the sender has everything back");
                gpus.exchange(0, 1, 1, "after", 60_000, 3);
                gpus.end();
            }
        }
        assertThat(cancelled).as("receives that were given up").isGreaterThan(SEEDS / 4);
        assertThat(received).as("receives that were not").isGreaterThan(SEEDS / 20);
    }

    @Test
    void aReceiverThatDiesLeavesNothingAtTheSender() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var gpus = gpus(seed, seed % 5 == 0)) {
                var random = new Random(seed);
                var traffic = new Traffic(gpus, random, 2 * MILLISECOND_NS);
                gpus.scenario.runFor(random.nextLong(4 * MILLISECOND_NS));
                // What was received already is taken back with its process.
                gpus.scenario.cluster.restart(gpus.scenario.worker(1));
                gpus.scenario.runFor(4 * MILLISECOND_NS);
                traffic.producer.reach();
                gpus.exchange(0, 1, 2, "after", 60_000, 3);
                gpus.scenario.closeSteps();
                gpus.scenario.await(gpus::isQuiet, "the sender has everything back");
                // The last callbacks may not have run.
                gpus.scenario.runFor(MILLISECOND_NS);
                traffic.closeReceived();
                gpus.end();
                traffic.producer.assertNothingLeft();
            }
        }
    }

    @Test
    void aReceiverGetsATensorOfTheNextLifeOfItsSender() {
        for (long seed = 0; seed < 48; seed++) {
            try (var gpus = gpus(seed, seed % 5 == 0)) {
                gpus.send(0, 1, 1, "edge", 60_000, 2);
                var receive = gpus.scenario.receive(0, 1, 1, "edge");
                gpus.scenario.runFor(new Random(seed).nextLong(MILLISECOND_NS));
                gpus.scenario.cluster.restart(gpus.scenario.worker(0));
                gpus.send(0, 1, 1, "edge", 60_000, 2);
                gpus.scenario.await(receive::hasEnded, "the receive ends");
                if (receive.isFailure()) {
                    assertThat(receive.code()).isIn(StatusCode.UNAVAILABLE, StatusCode.ABORTED);
                } else {
                    gpus.assertContent(receive, 60_000, 2);
                }
                // A receiver that has its tensor notices late that its sender was restarted.
                gpus.scenario.runFor(5 * SECOND_NS);
                gpus.exchange(0, 1, 2, "after", 60_000, 3);
                gpus.end();
            }
        }
    }

    /// What is copied when the accelerator breaks is not used again; all else is.
    @Test
    void anAcceleratorThatBreaksFailsItsTensorsAndNoOthers() {
        int failed = 0;
        long stranded = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var gpus = gpus(seed, seed % 5 == 0)) {
                var random = new Random(seed);
                var traffic = new Traffic(gpus, random, 2 * MILLISECOND_NS);
                gpus.scenario.runFor(random.nextLong(3 * MILLISECOND_NS));
                if (seed % 2 == 0) {
                    gpus.gpu(0).failNextCopy(illegalAccess());
                } else {
                    gpus.gpu(0).breakDevice(illegalAccess());
                }
                // Tensors on it can be made no more, so that some are never sent.
                gpus.scenario.runFor(20 * MILLISECOND_NS);
                gpus.scenario.closeSteps();
                gpus.scenario.awaitAll();
                for (var transfer : traffic.transfers) {
                    if (transfer.receive.isFailure()) {
                        failed++;
                        assertThat(transfer.receive.code()).isIn(StatusCode.INTERNAL, StatusCode.ABORTED);
                    } else {
                        gpus.assertContent(transfer.receive, transfer.size, transfer.value);
                    }
                }
                gpus.scenario.await(gpus::isQuiet, "the sender has everything else back");
                stranded += gpus.statistics(0).strandedBytes();
                // The host's tensors, and those that come from elsewhere, go on.
                gpus.scenario.exchange(0, 1, 2, "host", 50_000, 1);
                gpus.exchange(1, 0, 2, "other", 50_000, 1);
                gpus.scenario.closeSteps();
                gpus.scenario.await(gpus::isQuiet, "nothing is left");
                assertThat(gpus.gpu(0).mistakes()).isEmpty();
                assertThat(gpus.gpu(1).mistakes()).isEmpty();
            }
        }
        assertThat(failed).as("receives that failed").isGreaterThan(SEEDS);
        assertThat(stranded).as("bytes that copies might still touch").isGreaterThan(0);
    }

    /// The receiver is told of the first cause, at once; also where its memory was half written, and named in the
    /// request itself.
    @Test
    void afterThatEverySendFailsWithTheFirstCause() {
        for (long seed = 0; seed < 48; seed++) {
            try (var gpus = gpus(seed, false)) {
                gpus.exchange(0, 1, 1, "edge", 60_000, 1);
                Tensor first = gpus.tensor(0, GpuScenario.content(60_000, 2));
                Tensor second = gpus.tensor(0, GpuScenario.content(100, 3));
                long copied = gpus.statistics(0).bytesToHost();
                var receive = gpus.scenario.receive(0, 1, 2, "edge");
                gpus.scenario.send(0, 1, 2, "edge", Watched.memoryOf(first));
                if (seed % 2 == 0) {
                    gpus.scenario.await(() -> gpus.statistics(0).bytesToHost() > copied, "a part is copied");
                }
                gpus.gpu(0).failNextCopy(illegalAccess());
                gpus.scenario.await(receive::hasEnded, "the receive fails");
                assertThat(receive.code()).isEqualTo(StatusCode.INTERNAL);
                assertThat(receive.failure()).hasMessageContaining("illegal memory access");

                var later = gpus.scenario.receive(0, 1, 2, "later");
                gpus.scenario.send(0, 1, 2, "later", Watched.memoryOf(second));
                gpus.scenario.await(later::hasEnded, "the receive fails");
                assertThat(later.code()).isEqualTo(StatusCode.INTERNAL);
                assertThat(later.failure()).hasMessageContaining("illegal memory access");
                assertThat(first.isClosed() && second.isClosed()).isTrue();
                gpus.scenario.await(gpus::isQuiet, "nothing is under way");
                assertThat(gpus.gpu(0).mistakes()).isEmpty();
            }
        }
    }

    /// The error may be lost with the channel: who asks again is told again, and not made to wait.
    @Test
    void whoDoesNotHearOfAFailedCopyIsToldWhenItAsksAgain() {
        for (long seed = 0; seed < 48; seed++) {
            try (var gpus = gpus(seed, false)) {
                gpus.exchange(0, 1, 1, "before", 10, 1);
                gpus.gpu(0).hold();
                gpus.send(0, 1, 1, "edge", 60_000, 2);
                var receive = gpus.scenario.receive(0, 1, 1, "edge");
                gpus.scenario.await(() -> gpus.statistics(0).sendProxyBytes() > 0, "copies wait");
                cut(gpus);
                gpus.gpu(0).breakDevice(illegalAccess());
                gpus.scenario.await(receive::hasEnded, "the receive fails");
                assertThat(receive.code()).isEqualTo(StatusCode.INTERNAL);
                assertThat(receive.failure()).hasMessageContaining("illegal memory access");
                assertThat(gpus.scenario.worker(0).adapter.counters().failed()).isPositive();
            }
        }
    }

    /// The transport stops in the middle of it all.
    @Test
    void aWorkerThatIsClosedAtAnyMomentGivesEverythingBack() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var gpus = gpus(seed, seed % 5 == 0)) {
                var random = new Random(seed);
                var traffic = new Traffic(gpus, random, 2 * MILLISECOND_NS);
                gpus.scenario.runFor(random.nextLong(3 * MILLISECOND_NS));
                gpus.scenario.cluster.close();
                traffic.closeReceived();
                gpus.scenario.log.assertNoErrors();
                assertThat(gpus.gpu(0).mistakes()).isEmpty();
                assertThat(gpus.statistics(0).strandedBytes()).isZero();
                // Work that takes long does not run any more here, and with it what it would have given back.
                if (seed % 5 != 0) {
                    assertThat(gpus.statistics(0).sendProxyBytes())
                            .as("bytes of proxies, seed %d", seed)
                            .isZero();
                }
            }
        }
    }
}
