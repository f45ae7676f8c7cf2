package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.QueuePairAddress;
import io.tensorferry.verbs.statistics.ChannelDescription;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The address of a port changes while channels use it: those that have the old one end and are set up again with the
/// new one; the others are left alone.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AddressScenarioTest {
    private static final String WORKER = SimulatedCluster.name(0);
    private static final String PEER = SimulatedCluster.name(1);
    private static final Gid OTHER = Gid.ofIpv4(0x0B000001);
    private static final int KEY = 0x8123;
    /// Less than the retries of a queue pair take, so that the event is what ended the channel.
    private static final long SOON_NS = 100 * MILLISECOND_NS;

    enum Change {
        LID("LID_CHANGE"),
        GID_AT_ANOTHER_INDEX("GID_CHANGE"),
        OTHER_GID("GID_CHANGE"),
        PARTITION_KEY("PKEY_CHANGE");

        final String event;

        Change(String event) {
            this.event = event;
        }

        /// The address of worker 0 changes.
        void happenIn(SimulatedFabric fabric) {
            switch (this) {
                case LID -> fabric.changeLid(WORKER);
                case GID_AT_ANOTHER_INDEX -> {
                    fabric.removeGid(WORKER, fabric.gidOf(WORKER));
                    fabric.addGid(WORKER, fabric.gidOf(WORKER));
                }
                case OTHER_GID -> {
                    fabric.addGid(WORKER, OTHER);
                    fabric.removeGid(WORKER, fabric.gidOf(WORKER));
                }
                case PARTITION_KEY -> {
                    fabric.changePartitionKey(WORKER, KEY);
                    fabric.changePartitionKey(PEER, KEY);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAddressThatChangesEndsItsChannelsAndTheyGoOnWithTheNewOne(Change change) {
        try (var scenario = new Scenario(change.name().length(), 2)) {
            scenario.exchange(1, 0, 1, "before", 100, 1);
            var receive = scenario.receive(1, 0, 1, "edge");
            scenario.runFor(MILLISECOND_NS);
            QueuePairAddress before = addressTo(scenario, PEER);
            change.happenIn(scenario.fabric);
            scenario.runFor(SOON_NS);
            assertThat(scenario.worker(0).adapter.counters().failed()).isEqualTo(1);
            assertThat(Objects.requireNonNull(scenario.worker(0)
                                    .adapter
                                    .peers()
                                    .getFirst()
                                    .failure())
                            .verbsStatus())
                    .isEqualTo(change.event);
            scenario.send(1, 0, 1, "edge", 5_000, 2);
            scenario.await(receive::hasEnded, "the receive goes on");
            scenario.assertContent(receive, 5_000, 2);
            QueuePairAddress after = addressTo(scenario, PEER);
            assertThat(after.lid() != before.lid()).isEqualTo(change == Change.LID);
            assertThat(after.gid()).isEqualTo(change == Change.OTHER_GID ? OTHER : before.gid());
            scenario.exchange(0, 1, 1, "back", 5_000, 3);
            scenario.end();
        }
    }

    @Test
    void onlyTheChannelsEndWhoseOwnAddressIsGone() {
        try (var scenario = new Scenario(10, 3)) {
            Gid own = scenario.fabric.gidOf(WORKER);
            scenario.fabric.addGid(WORKER, OTHER);
            scenario.fabric.removeGid(WORKER, own);
            scenario.exchange(1, 0, 1, "first", 100, 1);
            // The one that was chosen at the start is preferred again.
            scenario.fabric.addGid(WORKER, own);
            scenario.exchange(2, 0, 1, "second", 100, 2);
            scenario.runFor(SOON_NS);
            assertThat(scenario.worker(0).adapter.counters().failed()).isZero();
            assertThat(addressTo(scenario, PEER).gid()).isEqualTo(OTHER);
            assertThat(addressTo(scenario, SimulatedCluster.name(2)).gid()).isEqualTo(own);
            scenario.fabric.removeGid(WORKER, OTHER);
            scenario.runFor(SOON_NS);
            assertThat(scenario.worker(0).adapter.counters().failed()).isEqualTo(1);
            assertThat(scenario.worker(0).adapter.channels())
                    .extracting(ChannelDescription::peer)
                    .containsExactly(SimulatedCluster.name(2));
            scenario.exchange(1, 0, 1, "third", 100, 3);
            assertThat(addressTo(scenario, PEER).gid()).isEqualTo(own);
            scenario.end();
        }
    }

    @Test
    void aGidThatVanishesAndComesBackIsWaitedFor() {
        try (var scenario = new Scenario(11, 2)) {
            scenario.exchange(1, 0, 1, "before", 100, 1);
            var receive = scenario.receive(1, 0, 1, "edge");
            scenario.runFor(MILLISECOND_NS);
            scenario.fabric.removeGid(WORKER, scenario.fabric.gidOf(WORKER));
            scenario.runFor(SECOND_NS);
            assertThat(scenario.worker(0).adapter.channels()).isEmpty();
            assertThat(receive.hasEnded()).isFalse();
            scenario.fabric.addGid(WORKER, scenario.fabric.gidOf(WORKER));
            scenario.send(1, 0, 1, "edge", 100, 2);
            scenario.await(receive::hasEnded, "the receive goes on");
            scenario.assertContent(receive, 100, 2);
            scenario.end();
        }
    }

    @Test
    void aGidThatStaysAwayIsUnavailableAndNamed() {
        try (var scenario = new Scenario(12, 2)) {
            Gid own = scenario.fabric.gidOf(WORKER);
            scenario.exchange(1, 0, 1, "before", 100, 1);
            scenario.fabric.removeGid(WORKER, own);
            var receive = scenario.receive(1, 0, 1, "edge");
            scenario.await(receive::hasEnded, "the receive fails");
            assertThat(receive.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(receive.failure()).hasMessageContaining(own + " (RoCE v2) of port 1 of soft0 is gone");
            scenario.fabric.addGid(WORKER, own);
            scenario.closeSteps();
            scenario.exchange(1, 0, 2, "after", 100, 2);
            scenario.end();
        }
    }

    /// Whenever it happens: while the endpoint is made, while the offer or the answer is on its way.
    @Test
    void anAddressThatChangesDuringTheSetUpIsNotUsed() {
        for (int i = 0; i < 100; i++) {
            for (Change change : Change.values()) {
                try (var scenario = new Scenario(i, 2)) {
                    var receive = scenario.receive(1, 0, 1, "edge");
                    scenario.send(1, 0, 1, "edge", 100, 1);
                    scenario.runFor(i * MILLISECOND_NS / 20);
                    change.happenIn(scenario.fabric);
                    scenario.await(receive::hasEnded, change + " after " + i);
                    scenario.assertContent(receive, 100, 1);
                    assertThat(scenario.fabric.now())
                            .as("without waiting for the retries of a queue pair: %s after %d", change, i)
                            .isLessThan(400 * MILLISECOND_NS);
                    scenario.end();
                }
            }
        }
    }

    private static QueuePairAddress addressTo(Scenario scenario, String peer) {
        return scenario.worker(0).adapter.channels().stream()
                .filter(channel -> channel.peer().equals(peer))
                .map(channel -> channel.queuePairs().getFirst())
                .findFirst()
                .orElseThrow();
    }
}
