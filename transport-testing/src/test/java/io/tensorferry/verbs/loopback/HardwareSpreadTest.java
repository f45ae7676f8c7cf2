package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.VerbsException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A device that claims to be a card with several completion vectors has several lanes for each peer by default, and
/// announces the completions of its channels on one vector after the other.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HardwareSpreadTest {
    private static final DeviceDescription CARD =
            new DeviceDescription(DeviceDescription.Transport.INFINIBAND, "16.35.2000", 1, 1, 0x02C9, 4123, 0);
    private static final DeviceDescription SOFT_ROCE =
            new DeviceDescription(DeviceDescription.Transport.INFINIBAND, "", 1, 1, 0xFF_FFFF, 0, 0);

    private final FaultyDevice device = new FaultyDevice();
    private final FaultyDevice peer = new FaultyDevice();
    private final AtomicInteger queuePairs = new AtomicInteger();
    private final List<Integer> vectors = new CopyOnWriteArrayList<>();

    private void be(DeviceDescription description, int vectorCount) {
        for (FaultyDevice each : List.of(device, peer)) {
            each.alter("description", DeviceDescription.class, _ -> description);
            each.alter("completionVectors", Integer.class, _ -> vectorCount);
        }
        device.observe((method, arguments) -> {
            if (method.equals("createQueuePair")) {
                queuePairs.incrementAndGet();
            } else if (method.equals("createCompletionQueue")) {
                vectors.add((Integer) arguments[2]);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"8, 4", "4, 4", "2, 2", "1, 1"})
    void aCardHasFourLanesForAPeerOrAsManyAsItHasVectors(int vectorCount, int lanes) throws Exception {
        be(CARD, vectorCount);
        try (var workers = new LoopbackWorkers(device, peer, ChannelOptions.defaults())) {
            transfer(workers, 1);
        }
        assertThat(queuePairs).as("the control queue pair and the lanes").hasValue(1 + lanes);
    }

    @Test
    void softwareHasOneLaneWhateverItsVectors() throws Exception {
        be(SOFT_ROCE, 8);
        try (var workers = new LoopbackWorkers(device, peer, ChannelOptions.defaults())) {
            transfer(workers, 1);
        }
        assertThat(queuePairs).hasValue(2);
    }

    @Test
    void whatIsSetIsTaken() throws Exception {
        be(CARD, 8);
        try (var workers =
                new LoopbackWorkers(device, peer, ChannelOptions.defaults().withLanes(2))) {
            transfer(workers, 1);
        }
        assertThat(queuePairs).hasValue(3);
    }

    @Test
    void oneChannelAfterTheOtherIsOnTheNextVector() throws Exception {
        be(CARD, 3);
        try (var workers = new LoopbackWorkers(device, peer, ChannelOptions.defaults())) {
            for (int step = 1; step <= 4; step++) {
                transfer(workers, step);
                lose(workers);
            }
            transfer(workers, 5);
        }
        assertThat(vectors).hasSizeGreaterThanOrEqualTo(5).allMatch(vector -> vector >= 0 && vector < 3);
        for (int i = 1; i < vectors.size(); i++) {
            assertThat(vectors.get(i)).isEqualTo((vectors.get(i - 1) + 1) % 3);
        }
    }

    /// The device refuses the next call, so that another channel is set up.
    private void lose(LoopbackWorkers workers) throws InterruptedException {
        long lost = workers.worker(0).adapter.counters().failed();
        device.refuse("requestNotification", new VerbsException("ibv_req_notify_cq", VerbsException.EIO, "the test"));
        while (workers.worker(0).adapter.counters().failed() == lost) {
            Thread.sleep(1);
        }
        device.accept("requestNotification");
    }

    private static void transfer(LoopbackWorkers workers, long step) throws InterruptedException {
        var key = LoopbackWorkers.key(1, 0, "edge");
        workers.worker(1).manager.rendezvous(step).send(key, workers.worker(1).bytes(5000, 1));
        workers.worker(0)
                .manager
                .rendezvous(step)
                .recv(key, Duration.ofSeconds(20))
                .tensorOrThrow()
                .close();
    }
}
