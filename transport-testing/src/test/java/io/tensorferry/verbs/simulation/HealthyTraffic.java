package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/// Two workers that send each other one tensor after the other, and check each: what must go on whatever others do.
final class HealthyTraffic {
    private static final long STEP = 77;
    private static final int EDGES = 8;

    private final Scenario scenario;
    private final int one;
    private final int other;
    private final Random random;
    private boolean stopped;
    private int under;
    private long exchanged;

    HealthyTraffic(Scenario scenario, int one, int other) {
        this.scenario = scenario;
        this.one = one;
        this.other = other;
        this.random = new Random(scenario.seed);
    }

    void start() {
        next(one, other, 0);
        next(other, one, 0);
    }

    /// Lets what is under way end, and begins nothing more.
    void stop() {
        stopped = true;
        scenario.await(() -> under == 0, "the healthy exchange ends");
        for (int worker : new int[] {one, other}) {
            scenario.worker(worker).manager.closeStep(STEP);
        }
    }

    long exchanged() {
        return exchanged;
    }

    private void next(int producer, int consumer, long number) {
        if (stopped) {
            return;
        }
        under++;
        String edge = "healthy" + number % EDGES;
        long size = random.nextInt(4) == 0 ? random.nextInt(10_000) : 100 + number % EDGES;
        scenario.send(producer, consumer, STEP, edge, size, (int) number);
        scenario.worker(consumer).manager.rendezvous(STEP).recvAsync(Scenario.key(producer, consumer, edge), result -> {
            check(result, size, (byte) number);
            exchanged++;
            under--;
            next(producer, consumer, number + 1);
        });
    }

    // An AssertionError goes through the callback and out of the virtual clock: no code catches errors.
    private void check(RecvResult result, long size, byte value) {
        assertThat(result).as("the healthy exchange, seed %d", scenario.seed).isInstanceOf(RecvResult.Received.class);
        try (Tensor tensor = ((RecvResult.Received) result).tensor()) {
            assertThat(tensor.byteSize()).isEqualTo(size);
            for (long i = 0; i < size; i++) {
                assertThat(tensor.segment().get(ValueLayout.JAVA_BYTE, i)).isEqualTo(value);
            }
        }
    }
}
