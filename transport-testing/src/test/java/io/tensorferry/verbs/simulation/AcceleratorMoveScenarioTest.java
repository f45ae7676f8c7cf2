package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.AcceleratorResults.assertContent;
import static io.tensorferry.verbs.simulation.AcceleratorResults.device;
import static io.tensorferry.verbs.simulation.AcceleratorResults.end;
import static io.tensorferry.verbs.simulation.AcceleratorResults.statistics;
import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static io.tensorferry.verbs.simulation.Scenario.SECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Delivery;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tensors that do not go by RDMA, and are on another device than they are wanted on: received on the worker that sends
/// them, or over the fallback.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AcceleratorMoveScenarioTest {
    // Less than a piece, one, and several.
    private static final int[] SIZES = {0, 1, 16_384, 100_000};
    private static final int SIZE = 100_000;

    private static RendezvousKey local(String device) {
        return AcceleratorResults.key(0, 0, "local", device);
    }

    private static void send(Scenario scenario, RendezvousKey key, Tensor tensor) {
        scenario.worker(0).manager.rendezvous(1).send(key, tensor);
    }

    @Test
    void aTensorOfTheHostGoesToTheAccelerator() {
        for (Delivery delivery : Delivery.values()) {
            try (var scenario = AcceleratorResults.scenario(1)) {
                for (int size : SIZES) {
                    Tensor sent = Scenario.bytes(scenario.worker(0), size, 7);
                    send(scenario, local("GPU:0"), Watched.memoryOf(sent));
                    var receive = scenario.receive(
                            0, local("GPU:0"), 1, ReceiveOptions.defaults().withDelivery(delivery));
                    scenario.await(receive::hasEnded, "the tensor");
                    assertContent(scenario, receive, size, 7);
                    scenario.await(sent::isClosed, "the producer's tensor is closed");
                }
                end(scenario);
            }
        }
    }

    @Test
    void aTensorOfTheAcceleratorGoesToTheHost() {
        try (var scenario = AcceleratorResults.scenario(1)) {
            for (int size : SIZES) {
                for (boolean named : new boolean[] {false, true}) {
                    Tensor sent = AcceleratorResults.onDevice(scenario, size, 7);
                    // The options say more than the key.
                    RendezvousKey key = local(named ? "CPU:0" : "GPU:0");
                    var options = named
                            ? ReceiveOptions.defaults()
                            : ReceiveOptions.defaults().into(TensorAllocator.unregistered());
                    var receive = scenario.receive(0, key, 1, options);
                    send(scenario, key, Watched.memoryOf(sent));
                    scenario.await(receive::hasEnded, "the tensor");
                    assertThat(receive.tensor().device().hostAccessible()).isTrue();
                    scenario.assertContent(receive, size, 7);
                    scenario.await(sent::isClosed, "the producer's tensor is closed");
                }
            }
            end(scenario);
        }
    }

    @Test
    void whatIsOnlyQueuedIsWaitedForWithoutAProxy() {
        for (boolean onDevice : new boolean[] {false, true}) {
            try (var scenario = AcceleratorResults.scenario(1)) {
                DeviceStream producer = device(scenario).openStream();
                device(scenario).hold();
                Tensor sent = onDevice
                        ? AcceleratorResults.onDevice(scenario, SIZE, 7)
                        : Scenario.bytes(scenario.worker(0), SIZE, 7);
                RendezvousKey key = local(onDevice ? "CPU:0" : "GPU:0");
                send(scenario, key, sent.readyAfter(producer.record()));
                var receive =
                        scenario.receive(0, key, 1, ReceiveOptions.defaults().withDelivery(Delivery.QUEUED));
                scenario.runFor(MILLISECOND_NS);
                assertThat(receive.hasEnded()).isFalse();
                assertThat(statistics(scenario).sendProxyBytes()).isZero();
                assertThat(statistics(scenario).receiveProxyBytes()).isZero();
                device(scenario).release();
                scenario.await(receive::hasEnded, "the tensor");
                if (onDevice) {
                    scenario.assertContent(receive, SIZE, 7);
                } else {
                    assertContent(scenario, receive, SIZE, 7);
                }
                producer.close();
                end(scenario);
            }
        }
    }

    /// At each of its moments.
    @Test
    void aMoveThatIsGivenUpOrAbortedLeavesNothing() {
        int came = 0;
        for (int moment = 0; moment < 300; moment++) {
            boolean toHost = moment % 2 == 0;
            try (var scenario = AcceleratorResults.scenario(moment % 4)) {
                RendezvousKey key = local(toHost ? "CPU:0" : "GPU:0");
                send(
                        scenario,
                        key,
                        toHost
                                ? AcceleratorResults.onDevice(scenario, SIZE, 7)
                                : Scenario.bytes(scenario.worker(0), SIZE, 7));
                var receive = scenario.receive(0, key, 1, ReceiveOptions.defaults());
                scenario.runFor(moment * 3_000L);
                if (moment % 4 < 2) {
                    receive.cancel();
                } else {
                    scenario.worker(0).manager.rendezvous(1).startAbort(StatusCode.CANCELLED, "aborted");
                }
                scenario.await(receive::hasEnded, "the receive ends");
                if (receive.isFailure()) {
                    assertThat(receive.code()).isEqualTo(StatusCode.CANCELLED);
                } else {
                    came++;
                    receive.close();
                }
                // What has begun goes on to its end.
                scenario.await(() -> !scenario.worker(0).accelerators.isBusy(), "nothing is moved");
                scenario.runFor(MILLISECOND_NS);
                end(scenario);
            }
        }
        assertThat(came).as("that came before").isBetween(10, 290);
    }

    @Test
    void anAcceleratorThatBreaksEndsTheMove() {
        for (boolean toHost : new boolean[] {false, true}) {
            var fault = new TransportException(StatusCode.INTERNAL, "a fault, on purpose");
            try (var scenario = AcceleratorResults.scenario(1)) {
                RendezvousKey key = local(toHost ? "CPU:0" : "GPU:0");
                device(scenario).failNextCopy(fault);
                send(
                        scenario,
                        key,
                        toHost
                                ? AcceleratorResults.onDevice(scenario, SIZE, 7)
                                : Scenario.bytes(scenario.worker(0), SIZE, 7));
                var receive = scenario.receive(0, key, 1, ReceiveOptions.defaults());
                scenario.await(receive::hasEnded, "the receive ends");
                assertThat(receive.failure()).isSameAs(fault);
                scenario.runFor(MILLISECOND_NS);
                assertThat(statistics(scenario).sendProxyBytes()).isZero();
                assertThat(statistics(scenario).receiveProxyBytes()).isZero();
                // What the accelerator may still reach is not given to anybody else.
                assertThat(statistics(scenario).deviceBytesInUse()).isGreaterThanOrEqualTo(SIZE);
                assertThat(statistics(scenario).strandedBytes()).isPositive();
                scenario.log.forgetErrors();
            }
        }
    }

    /// From accelerator to accelerator, with cuts at any moment, kills and receives that are given up.
    @Test
    void overTheFallbackNothingIsLostOrLeft() {
        long moved = 0;
        int came = 0;
        var options = SimulatedCluster.Options.defaults().withFallback().withGpu(SimulatedCluster.Gpu.small());
        for (long seed = 0; seed < 60; seed++) {
            try (var scenario =
                    new Scenario(seed, 2, 0, options, Scenario.network().withMaxMessageBytes(4096))) {
                var random = new Random(seed);
                scenario.cluster.slowFallback(1 + random.nextLong(SECOND_NS));
                List<Scenario.Receive> receives = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    RendezvousKey key = AcceleratorResults.key(1, 0, "edge" + i, "GPU:0");
                    int size = random.nextInt(SIZE);
                    int value = i;
                    scenario.fabric.schedule(random.nextLong(8 * SECOND_NS), () -> {
                        var sent = GpuScenario.tensor(device(scenario.worker(1)), filled(size, value));
                        scenario.worker(1).manager.rendezvous(1).send(key, sent);
                    });
                    scenario.fabric.schedule(random.nextLong(8 * SECOND_NS), () -> {
                        var receive = scenario.receive(0, key, 1, ReceiveOptions.defaults());
                        receives.add(receive);
                        if (value % 4 == 0) {
                            scenario.fabric.schedule(random.nextLong(SECOND_NS), receive::cancel);
                        }
                    });
                }
                for (int i = 0; i < 4; i++) {
                    scenario.fabric.schedule(
                            random.nextLong(8 * SECOND_NS),
                            () -> scenario.fabric.partition(
                                    SimulatedCluster.name(0),
                                    SimulatedCluster.name(1),
                                    random.nextLong(6 * SECOND_NS)));
                }
                scenario.await(() -> receives.size() == 20, "all have begun");
                if (seed % 3 == 0) {
                    scenario.cluster.kill(scenario.worker(1));
                }
                scenario.awaitAll();
                for (Scenario.Receive receive : receives) {
                    if (receive.isFailure()) {
                        assertThat(receive.code()).isIn(StatusCode.CANCELLED, StatusCode.UNAVAILABLE);
                    } else {
                        came++;
                        assertThat(receive.tensor().device()).isSameAs(device(scenario));
                        assertWhole(scenario, receive.tensor());
                        receive.close();
                    }
                }
                moved += scenario.worker(0).manager.statistics().fallbackReceives();
                end(scenario);
            }
        }
        assertThat(moved).as("receives that went over the fallback").isGreaterThan(60);
        assertThat(came).isGreaterThan(60 * 20 / 2);
    }

    /// It was taken for the peer: what becomes of the producer's step does not matter.
    @Test
    void aTensorThatIsMovedForAPeerOutlivesItsStep() {
        var options = SimulatedCluster.Options.defaults().withFallback().withGpu(SimulatedCluster.Gpu.small());
        try (var scenario = new Scenario(1, 2, 0, options, Scenario.network())) {
            scenario.cluster.failCallsWith(StatusCode.FAILED_PRECONDITION);
            scenario.cluster.failCalls(1);
            scenario.exchange(1, 0, 1, "first", 10, 1);
            device(scenario.worker(1)).hold();
            RendezvousKey key = AcceleratorResults.key(1, 0, "edge", "CPU:0");
            scenario.worker(1)
                    .manager
                    .rendezvous(1)
                    .send(key, GpuScenario.tensor(device(scenario.worker(1)), filled(SIZE, 5)));
            var receive = scenario.receive(0, key, 1, ReceiveOptions.defaults());
            scenario.runFor(10 * MILLISECOND_NS);
            assertThat(receive.hasEnded()).isFalse();
            scenario.worker(1).manager.closeStep(1);
            device(scenario.worker(1)).release();
            scenario.await(receive::hasEnded, "the tensor");
            scenario.assertContent(receive, SIZE, 5);
            end(scenario);
        }
    }

    /// The producer's stream may never get there.
    @Test
    void aPeerThatGivesUpOverTheFallbackIsNotWaitedFor() {
        var options = SimulatedCluster.Options.defaults().withFallback().withGpu(SimulatedCluster.Gpu.small());
        try (var scenario = new Scenario(1, 2, 0, options, Scenario.network())) {
            scenario.cluster.failCallsWith(StatusCode.FAILED_PRECONDITION);
            scenario.cluster.failCalls(1);
            scenario.exchange(1, 0, 1, "first", 10, 1);
            DeviceStream producer = device(scenario.worker(1)).openStream();
            device(scenario.worker(1)).hold();
            Tensor sent = GpuScenario.tensor(device(scenario.worker(1)), filled(SIZE, 5));
            RendezvousKey key = AcceleratorResults.key(1, 0, "edge", "CPU:0");
            scenario.worker(1)
                    .manager
                    .rendezvous(1)
                    .send(key, Watched.memoryOf(sent).readyAfter(producer.record()));
            var receive = scenario.receive(0, key, 1, ReceiveOptions.defaults());
            scenario.runFor(10 * MILLISECOND_NS);
            assertThat(receive.hasEnded()).isFalse();
            receive.cancel();
            scenario.await(sent::isClosed, "the tensor is closed");
            assertThat(receive.code()).isEqualTo(StatusCode.CANCELLED);
            device(scenario.worker(1)).release();
            producer.close();
            end(scenario);
        }
    }

    private static byte[] filled(int size, int value) {
        var content = new byte[size];
        Arrays.fill(content, (byte) value);
        return content;
    }

    private static void assertWhole(Scenario scenario, Tensor tensor) {
        int size = (int) tensor.byteSize();
        byte[] content = size == 0 ? new byte[0] : device(scenario).peek(tensor.address(), size);
        for (byte each : content) {
            assertThat(each).isEqualTo(content[0]);
        }
    }
}
