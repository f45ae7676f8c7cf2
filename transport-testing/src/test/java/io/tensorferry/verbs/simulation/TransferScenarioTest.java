package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.wire.Immediate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Transfers that succeed: order, round trips, chunks, changing metadata, full queues.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TransferScenarioTest {
    private static final long MAX_MESSAGE = 4096;

    private static Scenario withSmallMessages(long seed) {
        return new Scenario(
                seed,
                2,
                0,
                SimulatedCluster.Options.defaults(),
                SimulatedFabricOptions.defaults().withMaxMessageBytes(MAX_MESSAGE));
    }

    @Test
    void tensorsOverTheLargestMessageTravelInChunks() {
        try (var scenario = withSmallMessages(1)) {
            int value = 0;
            for (long size :
                    new long[] {0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 12_288, 500_000, 1_048_576, 3_000_001}) {
                // The second time the memory is named in the first message.
                for (int i = 0; i < 2; i++) {
                    scenario.exchange(1, 0, 1, "edge" + size, size, ++value);
                }
            }
            assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
            scenario.end();
        }
    }

    @Test
    void contentsShareTheLinkWhereItHasARate() {
        int count = 16;
        int bytes = 1 << 20;
        long rate = 5_000;
        for (SimulatedFabricOptions network :
                List.of(SimulatedFabricOptions.defaults().withLinkRate(rate), SimulatedFabricOptions.defaults())) {
            var options = SimulatedCluster.Options.defaults();
            try (var scenario = new Scenario(5, 2, 0, options, network)) {
                scenario.exchange(1, 0, 1, "warm up", 1, 1);
                long begin = scenario.fabric.now();
                var receives = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < count; i++) {
                    receives.add(scenario.receive(1, 0, 1, "edge" + i));
                    scenario.send(1, 0, 1, "edge" + i, bytes, i);
                }
                scenario.awaitAll();
                long took = scenario.fabric.now() - begin;
                long atTheRate = count * (long) bytes * 1_000 / rate;
                if (network.linkRate() > 0) {
                    assertThat(took).isBetween(atTheRate, 2 * atTheRate);
                } else {
                    assertThat(took).isLessThan(atTheRate);
                }
                receives.forEach(receive -> receive.tensor().close());
                scenario.end();
            }
        }
    }

    @Test
    void twentyThousandReceivesOverrunNoQueueOfASlowReceiver() {
        var options = SimulatedCluster.Options.defaults().withQueueDepth(16);
        try (var scenario = new Scenario(2, 2, 0, options, SimulatedFabricOptions.defaults())) {
            int count = 20_000;
            var receives = new ArrayList<Scenario.Receive>(count);
            for (int i = 0; i < count; i++) {
                receives.add(scenario.receive(1, 0, 1, "edge" + i % 1_000));
            }
            scenario.runFor(20 * MILLISECOND_NS);
            for (int i = 0; i < count; i++) {
                scenario.send(1, 0, 1, "edge" + i % 1_000, 1 + i % 7, i % 127);
                if (i % 1_000 == 0) {
                    // Longer than everything that may be written without its consent takes.
                    scenario.worker(0).pause(2 * MILLISECOND_NS);
                    scenario.runFor(MILLISECOND_NS);
                }
            }
            scenario.awaitAll();
            for (int i = 0; i < count; i++) {
                scenario.assertContent(receives.get(i), 1 + i % 7, i % 127);
            }
            for (int i = 0; i < 2; i++) {
                assertThat(scenario.worker(i).adapter.counters().failed()).isZero();
                assertThat(scenario.worker(i).adapter.counters().unknownCompletions())
                        .isZero();
            }
            assertThat(scenario.log.warnings())
                    .as("asynchronous events, an overrun among them")
                    .isEmpty();
            scenario.end();
        }
    }

    @Test
    void oneKeyIsAQueue() {
        for (long seed = 0; seed < 50; seed++) {
            var network = SimulatedFabricOptions.defaults().withSpikes(0.2, MILLISECOND_NS);
            try (var scenario =
                    new Scenario(seed, 2, 0, SimulatedCluster.Options.defaults().variedBy(seed), network)) {
                var random = new Random(seed);
                var receives = new ArrayList<Scenario.Receive>();
                int sent = 0;
                while (receives.size() < 40 || sent < 40) {
                    if (receives.size() < 40 && random.nextBoolean()) {
                        receives.add(scenario.receive(1, 0, 1, "queue"));
                    } else if (sent < 40) {
                        // The size changes too, so that some go with an extra round trip and some without.
                        scenario.send(1, 0, 1, "queue", 10 + sent / 5, sent++);
                    }
                    scenario.runFor(random.nextLong(50_000));
                }
                scenario.awaitAll();
                for (int i = 0; i < 40; i++) {
                    scenario.assertContent(receives.get(i), 10 + i / 5, i);
                }
                scenario.end();
            }
        }
    }

    @Test
    void aKeyThatIsNewTakesOneMoreRoundTripAndAKnownOneNone() {
        try (var scenario = new Scenario(3, 2)) {
            scenario.exchange(1, 0, 1, "other", 10, 1);
            assertMessages(scenario, "cold", 10, 2, 1);
            assertMessages(scenario, "cold", 10, 1, 0);
            // In another step, the metadata changes once.
            assertMessages(scenario, "cold", 11, 2, 1);
            assertMessages(scenario, "cold", 11, 1, 0);
            var statistics = scenario.worker(0).manager.statistics();
            assertThat(statistics.coldRequests()).isEqualTo(2);
            assertThat(statistics.warmRequests()).isEqualTo(3);
            assertThat(statistics.reRequests()).isEqualTo(3);
            scenario.end();
        }
    }

    private static void assertMessages(Scenario scenario, String edge, int size, int ofReceiver, int ofSender) {
        var receiver = scenario.worker(0).adapter.counters();
        var sender = scenario.worker(1).adapter.counters();
        long receiverBefore = receiver.messagesSent();
        long senderBefore = sender.messagesSent();
        scenario.exchange(1, 0, 1, edge, size, 1);
        assertThat(receiver.messagesSent() - receiverBefore).isEqualTo(ofReceiver);
        assertThat(sender.messagesSent() - senderBefore).isEqualTo(ofSender);
    }

    @Test
    void metaDataThatChangesInAnotherStepDisturbsNoTransferUnderWay() {
        for (long seed = 0; seed < 100; seed++) {
            var network = SimulatedFabricOptions.defaults().withSpikes(0.3, 2 * MILLISECOND_NS);
            try (var scenario =
                    new Scenario(seed, 2, 0, SimulatedCluster.Options.defaults().variedBy(seed), network)) {
                var random = new Random(seed);
                int steps = 12;
                var receives = new ArrayList<Scenario.Receive>();
                for (int step = 0; step < steps; step++) {
                    receives.add(scenario.receive(1, 0, step, "edge"));
                    scenario.runFor(random.nextLong(200_000));
                    switch (step % 4) {
                        case 0 -> scenario.send(1, 0, step, "edge", 1_000, step);
                        case 1 -> scenario.worker(1).manager.rendezvous(step).sendDead(Scenario.key(1, 0, "edge"));
                        case 2 -> scenario.send(1, 0, step, "edge", strings(scenario, step));
                        default -> scenario.send(1, 0, step, "edge", 100 + step, step);
                    }
                }
                scenario.awaitAll();
                for (int step = 0; step < steps; step++) {
                    var receive = receives.get(step);
                    switch (step % 4) {
                        case 0 -> scenario.assertContent(receive, 1_000, step);
                        case 1 -> assertThat(receive.result()).isInstanceOf(RecvResult.Dead.class);
                        case 2 -> {
                            assertThat(receive.tensor().toStrings()).containsExactly(new byte[step], new byte[] {7});
                            receive.close();
                        }
                        default -> scenario.assertContent(receive, 100 + step, step);
                    }
                }
                scenario.end();
            }
        }
    }

    private static Tensor strings(Scenario scenario, int length) {
        return scenario.worker(1)
                .adapter
                .memory()
                .allocator()
                .allocateStrings(Shape.of(2), List.of(new byte[length], new byte[] {7}));
    }

    @Test
    void aThousandSizesOfAStringTensorLeaveNothingBehind() {
        try (var scenario = new Scenario(4, 2)) {
            var random = new Random(4);
            long[] before = new long[4];
            for (int i = 0; i < 1_000; i++) {
                int length = random.nextInt(2_000);
                scenario.send(1, 0, 1, "strings", strings(scenario, length));
                var receive = scenario.receive(1, 0, 1, "strings");
                scenario.await(receive::hasEnded, "strings");
                assertThat(receive.tensor().toStrings()).containsExactly(new byte[length], new byte[] {7});
                receive.close();
                scenario.await(scenario::isQuiet, "the sender is done");
                if (i == 10) {
                    before = memory(scenario);
                }
            }
            assertThat(memory(scenario)).isEqualTo(before);
            scenario.end();
        }
    }

    private static long[] memory(Scenario scenario) {
        var one = scenario.worker(0).adapter.memory().statistics();
        var other = scenario.worker(1).adapter.memory().statistics();
        return new long[] {one.bytesInUse(), one.slabBytes(), other.bytesInUse(), other.slabBytes()};
    }

    @Test
    void aTensorInUnregisteredMemoryIsCopiedCountedAndSaidOnce() {
        try (var scenario = new Scenario(5, 2)) {
            for (int i = 1; i <= 5; i++) {
                Tensor tensor = TensorAllocator.unregistered().allocate(DataType.UINT8, Shape.of(1_000));
                tensor.segment().fill((byte) i);
                scenario.send(1, 0, 1, "edge", tensor);
                var receive = scenario.receive(1, 0, 1, "edge");
                scenario.await(receive::hasEnded, "the tensor");
                scenario.assertContent(receive, 1_000, i);
                assertThat(scenario.worker(1).manager.statistics().unregisteredCopies())
                        .isEqualTo(i);
            }
            assertThat(scenario.log.warnings())
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("1000 bytes is not in registered memory");
            scenario.end();
        }
    }

    @Test
    void aReceiveOnTheSameWorkerSharesTheMemory() {
        try (var scenario = new Scenario(6, 1)) {
            Tensor tensor = Scenario.bytes(scenario.worker(0), 100, 1);
            long address = tensor.segment().address();
            scenario.send(0, 0, 1, "local", tensor);
            var receive = scenario.receive(0, 0, 1, "local");
            scenario.await(receive::hasEnded, "the tensor");
            assertThat(receive.tensor().segment().address()).isEqualTo(address);
            receive.close();
            scenario.end();
        }
    }

    @Test
    void contentThatDoesNotMatchItsChecksumIsDataLossAndNothingElse() {
        var network = SimulatedFabricOptions.defaults()
                .withCorruptionProbability(0.5)
                .withCorruptible(immediate -> immediate != Immediate.CONTROL_MESSAGE);
        try (var scenario =
                new Scenario(7, 2, 0, SimulatedCluster.Options.validating().withRingContent(0), network)) {
            int lost = 0;
            for (int i = 0; i < 200; i++) {
                scenario.send(1, 0, 1, "edge" + i % 3, 500, i);
                var receive = scenario.receive(1, 0, 1, "edge" + i % 3);
                scenario.await(receive::hasEnded, "the receive ends");
                if (receive.result() instanceof RecvResult.Failed) {
                    assertThat(receive.code()).isEqualTo(StatusCode.DATA_LOSS);
                    lost++;
                } else {
                    scenario.assertContent(receive, 500, i);
                }
            }
            assertThat(lost).isBetween(50, 150);
            assertThat(scenario.worker(0).manager.statistics().checksumMismatches())
                    .isEqualTo(lost);
            assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
            scenario.end();
        }
    }

    @Test
    void aKeyThatIsTooLongForASlotIsRefusedAndOneThatFitsArrives() {
        try (var scenario = new Scenario(8, 2)) {
            var receive = scenario.receive(1, 0, 1, "k".repeat(5_000));
            scenario.await(receive::hasEnded, "the receive fails");
            assertThat(receive.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
            // With its metadata this one would not fit; it must not matter that they are known.
            String fits = "k".repeat(4_032 - (Scenario.key(1, 0, "k").toString().length() - 1));
            for (int i = 0; i < 3; i++) {
                Tensor tensor = scenario.worker(1)
                        .adapter
                        .memory()
                        .allocator()
                        .allocate(DataType.UINT8, Shape.of(1, 1, 1, 1, 5));
                tensor.segment().fill((byte) i);
                scenario.send(1, 0, 1, fits, tensor);
                var known = scenario.receive(1, 0, 1, fits);
                scenario.await(known::hasEnded, "the tensor of a long key");
                scenario.assertContent(known, 5, i);
            }
            assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
            scenario.end();
        }
    }
}
