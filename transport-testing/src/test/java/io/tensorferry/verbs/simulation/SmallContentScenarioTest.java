package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.statistics.RendezvousStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Small contents go inside the ring: with their metadata where these are not expected, alone where they are.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SmallContentScenarioTest {
    private static final int CARRIED = 500;
    private static final byte[] WORD = {1, 2, 3};

    private static Scenario scenario(SimulatedCluster.Options options) {
        return new Scenario(1, 2, 0, options.withRingContent(CARRIED), SimulatedFabricOptions.defaults());
    }

    private static RendezvousStatistics receiver(Scenario scenario) {
        return scenario.worker(0).manager.statistics();
    }

    private static long carried(Scenario scenario) {
        return scenario.worker(1).manager.statistics().tensorsCarried();
    }

    @Test
    void aSmallTensorTakesOneRoundTripAlsoWhereItIsNotExpected() {
        try (var scenario = scenario(SimulatedCluster.Options.defaults())) {
            scenario.exchange(1, 0, 1, "edge", 10, 1);
            scenario.exchange(1, 0, 1, "edge", 10, 2);
            scenario.exchange(1, 0, 1, "edge", 11, 3);
            scenario.exchange(1, 0, 1, "edge", 11, 4);
            assertThat(receiver(scenario).coldRequests()).isEqualTo(1);
            assertThat(receiver(scenario).warmRequests()).isEqualTo(3);
            assertThat(receiver(scenario).reRequests()).isZero();
            assertThat(receiver(scenario).tensorsReceived()).isEqualTo(4);
            assertThat(carried(scenario)).isEqualTo(4);
            scenario.end();
        }
    }

    @Test
    void aWarmTensorIsCarriedUpToTheThresholdAndWrittenBeyond() {
        try (var scenario = scenario(SimulatedCluster.Options.defaults())) {
            for (int size : new int[] {CARRIED, CARRIED + 1}) {
                scenario.exchange(1, 0, 1, "edge" + size, size, 1);
                assertThat(carried(scenario)).isEqualTo(size == CARRIED ? 1 : 3);
                scenario.exchange(1, 0, 1, "edge" + size, size, 2);
            }
            assertThat(carried(scenario)).isEqualTo(3);
            scenario.end();
        }
    }

    /// The slots of the simulation have 4,096 bytes: the message of a content of one dimension has 72 beside it.
    @Test
    void aTensorThatIsNotExpectedIsCarriedWhereItHasRoomInASlot() {
        try (var scenario = scenario(SimulatedCluster.Options.defaults())) {
            scenario.exchange(1, 0, 1, "fits", 4096 - 72, 1);
            assertThat(receiver(scenario).reRequests()).isZero();
            scenario.exchange(1, 0, 1, "does not", 4096 - 72 + 1, 1);
            assertThat(receiver(scenario).reRequests()).isEqualTo(1);
            assertThat(carried(scenario)).isEqualTo(1);
            scenario.end();
        }
    }

    @Test
    void deadAndEmptyTensorsAndStringsTakeOneRoundTrip() {
        try (var scenario = scenario(SimulatedCluster.Options.validating())) {
            for (int i = 0; i < 2; i++) {
                scenario.worker(1).manager.rendezvous(1).sendDead(Scenario.key(1, 0, "dead"));
                var dead = scenario.receive(1, 0, 1, "dead");
                scenario.await(dead::hasEnded, "a dead tensor");
                assertThat(dead.result()).isInstanceOf(RecvResult.Dead.class);
                scenario.exchange(1, 0, 1, "empty", 0, 0);
                var strings = scenario.worker(1).adapter.memory().allocator();
                scenario.send(1, 0, 1, "text", strings.allocateStrings(Shape.of(2), List.of(WORD, WORD)));
                var text = scenario.receive(1, 0, 1, "text");
                scenario.await(text::hasEnded, "strings");
                assertThat(text.tensor().dataType()).isEqualTo(DataType.STRING);
                assertThat(text.tensor().toStrings()).containsExactly(WORD, WORD);
                text.close();
            }
            assertThat(receiver(scenario).reRequests()).isZero();
            assertThat(carried(scenario)).isEqualTo(6);
            assertThat(receiver(scenario).checksumMismatches()).isZero();
            scenario.end();
        }
    }

    @Test
    void nothingIsCarriedWhereTheThresholdIsZero() {
        var options = SimulatedCluster.Options.defaults().withRingContent(0);
        try (var scenario = new Scenario(1, 2, 0, options, SimulatedFabricOptions.defaults())) {
            for (int i = 0; i < 3; i++) {
                scenario.exchange(1, 0, 1, "empty", 0, 0);
                scenario.exchange(1, 0, 1, "small", 1, i);
            }
            assertThat(receiver(scenario).warmRequests()).isEqualTo(4);
            assertThat(receiver(scenario).reRequests()).isEqualTo(2);
            assertThat(carried(scenario)).isZero();
            scenario.end();
        }
    }

    @Test
    void theMemoryOfACarriedTensorIsTheSendersAgainWhenItHasArrived() {
        try (var scenario = scenario(SimulatedCluster.Options.defaults())) {
            for (int i = 0; i < 20; i++) {
                scenario.exchange(1, 0, 1, "edge", 100, i);
                scenario.runFor(MILLISECOND_NS);
                assertThat(scenario.worker(1).manager.statistics().pendingResponses())
                        .isZero();
            }
            scenario.end();
        }
    }

    /// The key that a request names is made void as where the content was written.
    @Test
    void aKeyOfTheRequestIsRevokedWhereTheContentWasCarried() {
        try (var scenario = scenario(SimulatedCluster.Options.defaults().withRkeyScope(RemoteKeyScope.REQUEST))) {
            for (int i = 0; i < 200; i++) {
                scenario.exchange(1, 0, 1, "edge" + i % 3, 64, i % 100);
            }
            assertThat(carried(scenario)).isEqualTo(200);
            scenario.end();
        }
    }

    /// A receive that is given up at any moment ends once, and leaves nothing.
    @Test
    void aReceiveThatIsGivenUpLeavesNothing() {
        for (long seed = 0; seed < 200; seed++) {
            try (var scenario = new Scenario(
                    seed,
                    2,
                    0,
                    SimulatedCluster.Options.defaults().withRingContent(CARRIED),
                    SimulatedFabricOptions.defaults().withSpikes(0.2, MILLISECOND_NS))) {
                var random = new Random(seed);
                var receives = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 10; i++) {
                    var receive = scenario.receive(1, 0, 1, "edge" + i);
                    receives.add(receive);
                    scenario.send(1, 0, 1, "edge" + i, 10 + random.nextInt(600), i);
                    scenario.fabric.schedule(random.nextLong(MILLISECOND_NS), receive::cancel);
                }
                scenario.awaitAll();
                assertThat(receives)
                        .allSatisfy(receive -> assertThat(receive.results).hasSize(1));
                receives.forEach(Scenario.Receive::close);
                scenario.closeSteps();
                scenario.end();
            }
        }
    }
}
