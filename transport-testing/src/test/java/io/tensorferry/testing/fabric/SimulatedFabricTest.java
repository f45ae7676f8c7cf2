package io.tensorferry.testing.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.SoftwareEnd;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SimulatedFabricTest {
    /// 4.096 us x 2^14 x 8, as [SoftwareEnd] sets it.
    private static final long RETRY_BUDGET_NS = (4096L << 14) * 8;

    private static SoftwareEnd end(SimulatedFabric fabric, String node) {
        return new SoftwareEnd(fabric.provider(node).open(SimulatedFabric.DEVICE), 4096, 1024);
    }

    private static void run(SimulatedFabric fabric) {
        while (fabric.runNext()) {
            // Runs all events.
        }
    }

    private record Run(long fingerprint, long end, List<Long> trace) {}

    /// Traffic of four queue pairs with two peers; returns the completions with their times.
    private static Run traffic(long seed) {
        var fabric = new SimulatedFabric(seed, SimulatedFabricOptions.defaults().withCorruptionProbability(0.1));
        List<SoftwareEnd> ends = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            ends.add(end(fabric, "node" + i % 3));
        }
        for (int i = 0; i < 8; i += 2) {
            SoftwareEnd.connect(ends.get(i), ends.get(i + 1));
        }
        fabric.schedule(300_000, () -> fabric.killNode("node2"));
        List<Long> trace = new ArrayList<>();
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 8; i++) {
                ends.get(i).write(round, fabric.random().nextInt(4096), ends.get(i ^ 1));
            }
            for (int i = 0; i < 40; i++) {
                fabric.runNext();
            }
        }
        run(fabric);
        for (SoftwareEnd end : ends) {
            end.polled(1000);
            trace.addAll(end.workIds);
            end.statuses.forEach(status -> trace.add((long) status.number()));
        }
        return new Run(fabric.fingerprint(), fabric.now(), trace);
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        for (long seed = 0; seed < 50; seed++) {
            assertThat(traffic(seed)).as("seed %d", seed).isEqualTo(traffic(seed));
        }
        assertThat(traffic(1).fingerprint()).isNotEqualTo(traffic(2).fingerprint());
    }

    @Test
    void queuePairsOvertakeEachOther() {
        boolean overtaken = false;
        for (long seed = 0; seed < 50 && !overtaken; seed++) {
            var fabric = new SimulatedFabric(seed);
            SoftwareEnd first = end(fabric, "a");
            SoftwareEnd firstPeer = end(fabric, "b");
            SoftwareEnd second = end(fabric, "a");
            SoftwareEnd secondPeer = end(fabric, "b");
            SoftwareEnd.connect(first, firstPeer);
            SoftwareEnd.connect(second, secondPeer);
            first.write(1, 8, firstPeer);
            second.write(2, 8, secondPeer);
            while (!first.polled(1) && !second.polled(1)) {
                fabric.runNext();
            }
            overtaken = second.polled(1) && !first.polled(1);
        }
        assertThat(overtaken).isTrue();
    }

    @Test
    void nothingHappensUntilTheClockRuns() {
        var fabric = new SimulatedFabric(1);
        SoftwareEnd one = end(fabric, "a");
        SoftwareEnd other = end(fabric, "b");
        SoftwareEnd.connect(one, other);
        one.write(1, 8, other);
        assertThat(one.polled(1)).isFalse();
        assertThat(fabric.pendingEvents()).isPositive();
        run(fabric);
        assertThat(one.polled(1)).isTrue();
        assertThat(fabric.now()).isPositive();
    }

    @Test
    void peersOfAKilledNodeNoticeWhenTheirRetriesAreUsedUp() {
        var fabric = new SimulatedFabric(1);
        SoftwareEnd one = end(fabric, "a");
        SoftwareEnd other = end(fabric, "b");
        SoftwareEnd.connect(one, other);
        other.write(1, 4096, one);
        fabric.killNode("b");
        one.write(2, 8, other);
        run(fabric);
        assertThat(one.polled(1)).isTrue();
        assertThat(one.statuses).containsExactly(WorkStatus.RETRY_EXC_ERR);
        assertThat(fabric.now()).isBetween(RETRY_BUDGET_NS, RETRY_BUDGET_NS * 2);
        assertThat(other.polled(1)).as("a dead node's work goes on").isFalse();
    }

    @Test
    void aRequestThatWaitsForAReceiveOfAKilledNodeFails() {
        var fabric = new SimulatedFabric(1);
        SoftwareEnd one = end(fabric, "a");
        SoftwareEnd other = end(fabric, "b");
        SoftwareEnd.connect(one, other);
        one.writeWithImmediate(1, 8, other, 1);
        run(fabric);
        assertThat(one.polled(1)).isFalse();
        fabric.killNode("b");
        run(fabric);
        assertThat(one.polled(1)).isTrue();
        assertThat(one.statuses).containsExactly(WorkStatus.RETRY_EXC_ERR);
    }

    @Test
    void aKilledNodeHasANextLife() {
        var fabric = new SimulatedFabric(1);
        SoftwareEnd one = end(fabric, "a");
        end(fabric, "b");
        fabric.killNode("b");
        SoftwareEnd again = end(fabric, "b");
        SoftwareEnd.connect(one, again);
        one.write(1, 8, again);
        run(fabric);
        assertThat(one.polled(1)).isTrue();
        assertThat(one.statuses).containsExactly(WorkStatus.SUCCESS);
    }

    @Test
    void aBrokenDeviceReportsItAndFailsItsQueuePairs() {
        var fabric = new SimulatedFabric(1);
        SoftwareEnd one = end(fabric, "a");
        SoftwareEnd other = end(fabric, "b");
        SoftwareEnd.connect(one, other);
        other.queuePair.postReceive(9);
        fabric.failDevice("b");
        assertThat(other.events).containsExactly(new AsyncEvent(AsyncEvent.Type.DEVICE_FATAL, 0));
        assertThat(other.queuePair.state()).isEqualTo(QueuePairState.ERR);
        assertThat(other.polled(1)).isTrue();
        assertThat(other.statuses).containsExactly(WorkStatus.WR_FLUSH_ERR);
        one.write(1, 8, other);
        run(fabric);
        assertThat(one.polled(1)).isTrue();
        assertThat(one.statuses).containsExactly(WorkStatus.RETRY_EXC_ERR);
    }

    @Test
    void aShortPartitionIsBridgedByRetries() {
        var fabric = new SimulatedFabric(1);
        SoftwareEnd one = end(fabric, "a");
        SoftwareEnd other = end(fabric, "b");
        SoftwareEnd.connect(one, other);
        fabric.partition("b", "a", RETRY_BUDGET_NS / 2);
        for (int i = 0; i < 10; i++) {
            one.write(i, 8, other);
        }
        run(fabric);
        assertThat(one.polled(10)).isTrue();
        assertThat(one.statuses).containsOnly(WorkStatus.SUCCESS);
        assertThat(one.workIds).isSorted();
    }

    @Test
    void aLongIsolationIsAFailureThoughThePayloadMayHaveCome() {
        boolean cameAllTheSame = false;
        for (long seed = 0; seed < 100; seed++) {
            var fabric = new SimulatedFabric(seed);
            SoftwareEnd one = end(fabric, "a");
            SoftwareEnd other = end(fabric, "b");
            SoftwareEnd.connect(one, other);
            one.memory.fill((byte) 1);
            one.write(1, 4096, other);
            fabric.schedule(12_000, () -> fabric.isolate("b", RETRY_BUDGET_NS * 3));
            run(fabric);
            assertThat(one.polled(1)).as("seed %d", seed).isTrue();
            boolean failed = one.statuses.getFirst() == WorkStatus.RETRY_EXC_ERR;
            cameAllTheSame |= failed && other.memory.mismatch(one.memory) == -1;
        }
        assertThat(cameAllTheSame)
                .as("an answer was lost after its request was executed")
                .isTrue();
    }

    @Test
    void corruptionFlipsOneBit() {
        var fabric = new SimulatedFabric(1, SimulatedFabricOptions.defaults().withCorruptionProbability(1));
        SoftwareEnd one = end(fabric, "a");
        SoftwareEnd other = end(fabric, "b");
        SoftwareEnd.connect(one, other);
        one.write(1, 4096, other);
        run(fabric);
        assertThat(one.polled(1)).isTrue();
        assertThat(one.statuses).containsExactly(WorkStatus.SUCCESS);
        int bits = 0;
        for (byte value : other.memory.toArray(ValueLayout.JAVA_BYTE)) {
            bits += Integer.bitCount(value & 0xFF);
        }
        assertThat(bits).isEqualTo(1);
    }
}
