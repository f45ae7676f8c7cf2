package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.AcceleratorResults.assertContent;
import static io.tensorferry.verbs.simulation.AcceleratorResults.device;
import static io.tensorferry.verbs.simulation.AcceleratorResults.end;
import static io.tensorferry.verbs.simulation.AcceleratorResults.exchange;
import static io.tensorferry.verbs.simulation.AcceleratorResults.key;
import static io.tensorferry.verbs.simulation.AcceleratorResults.receive;
import static io.tensorferry.verbs.simulation.AcceleratorResults.scenario;
import static io.tensorferry.verbs.simulation.AcceleratorResults.send;
import static io.tensorferry.verbs.simulation.AcceleratorResults.statistics;
import static io.tensorferry.verbs.simulation.AcceleratorResults.unit;
import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Delivery;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.wire.Immediate;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tensors of another worker whose results are on an accelerator.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AcceleratorReceiveScenarioTest {
    private static final int[] SIZES = {
        0, 1, 100, 101, 4095, 4096, 4097, 16_384, 60_000, 200_000, AcceleratorResults.SHARE
    };
    private static final byte[] WORD = "one".getBytes(StandardCharsets.UTF_8);

    /// Carried and written, over one lane and striped, with keys of slabs and of requests, with a checksum and without.
    @Test
    void contentsOfEverySizeGetThere() {
        for (long seed = 0; seed < 144; seed++) {
            var options = seed % 3 == 0 ? SimulatedCluster.Options.validating() : SimulatedCluster.Options.defaults();
            try (var scenario = scenario(seed, options, Scenario.network().withMaxMessageBytes(4096))) {
                long bytes = 0;
                for (int size : SIZES) {
                    exchange(scenario, "edge", size, size % 100 + 1);
                    exchange(scenario, "edge", size, size % 100 + 2);
                    bytes += 2L * size;
                }
                var transfers = scenario.worker(0).manager.statistics();
                assertThat(transfers.tensorsReceived()).isEqualTo(2L * SIZES.length);
                assertThat(transfers.warmRequests())
                        .as("requests that name memory")
                        .isZero();
                assertThat(statistics(scenario).bytesFromHost()).isEqualTo(bytes);
                end(scenario);
            }
        }
    }

    /// Sizes and types change from one tensor to the next, and nothing of the one before is expected.
    @Test
    void theMetaDataOfAKeyMayChange() {
        for (long seed = 0; seed < 48; seed++) {
            try (var scenario = scenario(seed)) {
                var random = new Random(seed);
                for (int i = 0; i < 20; i++) {
                    exchange(scenario, "edge", random.nextInt(10_000), i);
                }
                Tensor floats =
                        scenario.worker(1).adapter.memory().allocator().allocate(DataType.FLOAT, Shape.of(3, 5));
                floats.segment().fill((byte) 7);
                send(scenario, "edge", floats);
                var receive = receive(scenario, "edge");
                scenario.await(receive::hasEnded, "floats");
                assertThat(receive.tensor().shape()).isEqualTo(Shape.of(3, 5));
                assertThat(receive.tensor().dataType()).isEqualTo(DataType.FLOAT);
                assertContent(scenario, receive, 60, 7);
                end(scenario);
            }
        }
    }

    @Test
    void deadTensorsNeedNoMemoryAndStringsAreInHostMemory() {
        for (boolean byAllocator : new boolean[] {false, true}) {
            try (var scenario = scenario(1, SimulatedCluster.Options.validating(), Scenario.network())) {
                ReceiveOptions options = byAllocator
                        ? ReceiveOptions.defaults().into(unit(scenario).allocator())
                        : ReceiveOptions.defaults();
                for (int i = 0; i < 2; i++) {
                    scenario.worker(1).manager.rendezvous(1).sendDead(key("dead"));
                    var dead = receive(scenario, "dead", options);
                    scenario.await(dead::hasEnded, "a dead tensor");
                    assertThat(dead.result()).isInstanceOf(RecvResult.Dead.class);

                    var strings = scenario.worker(1).adapter.memory().allocator();
                    send(scenario, "text", strings.allocateStrings(Shape.of(2), List.of(WORD, WORD)));
                    var text = receive(scenario, "text", options);
                    scenario.await(text::hasEnded, "strings");
                    assertThat(text.tensor().device()).isSameAs(Device.HOST);
                    assertThat(text.tensor().toStrings()).containsExactly(WORD, WORD);
                    text.close();
                }
                assertThat(statistics(scenario).bytesFromHost()).isZero();
                end(scenario);
            }
        }
    }

    @Test
    void theAllocatorSaysWhereAResultIsAndOtherwiseTheKey() {
        try (var scenario = scenario(1)) {
            RendezvousKey toHost = Scenario.key(1, 0, "host");
            scenario.worker(1).manager.rendezvous(1).send(toHost, Scenario.bytes(scenario.worker(1), 5000, 1));
            var onDevice = scenario.receive(
                    0, toHost, 1, ReceiveOptions.defaults().into(unit(scenario).allocator()));
            scenario.await(onDevice::hasEnded, "a result in memory of the allocator");
            assertContent(scenario, onDevice, 5000, 1);

            var host = scenario.worker(0).adapter.memory().allocator();
            for (int i = 0; i < 2; i++) {
                send(scenario, "edge", 5000, i);
                var onHost = receive(scenario, "edge", ReceiveOptions.defaults().into(host));
                scenario.await(onHost::hasEnded, "a result in host memory");
                scenario.assertContent(onHost, 5000, i);
            }
            assertThat(scenario.worker(0).manager.statistics().warmRequests()).isEqualTo(1);
            end(scenario);
        }
    }

    @Test
    void anAcceleratorThatTheWorkerWasNotGivenIsRefused() {
        try (var scenario = scenario(1);
                var foreign = new SimulatedAccelerator(
                        3, AcceleratorTime.of(scenario.fabric), 1, SimulatedAcceleratorOptions.defaults())) {
            var elsewhere = new TensorAllocator() {
                @Override
                public Device device() {
                    return foreign;
                }

                @Override
                public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
                    throw new AssertionError("nothing is to be made there");
                }
            };
            var rendezvous = scenario.worker(0).manager.rendezvous(1);
            for (RendezvousKey each : List.of(key("a"), key(0, 0, "a", "CPU:0"))) {
                assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> rendezvous.recvAsync(
                                each, ReceiveOptions.defaults().into(elsewhere), _ -> {}))
                        .withMessageContaining("GPU:3")
                        .withMessageContaining("has GPU:0");
            }
            for (RendezvousKey each : List.of(key(1, 0, "a", "GPU:7"), key(0, 0, "a", "TPU:0"))) {
                assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> rendezvous.recvAsync(each, _ -> {}))
                        .withMessageContaining("which has GPU:0");
            }
            scenario.worker(0).manager.closeStep(1);
            end(scenario);
        }
    }

    @Test
    void aWorkerWithoutAcceleratorsTakesEachNameForTheHosts() {
        try (var scenario = new Scenario(1, 2)) {
            send(scenario, "edge", 5000, 1);
            var receive = receive(scenario, "edge");
            scenario.await(receive::hasEnded, "the tensor");
            scenario.assertContent(receive, 5000, 1);
            scenario.end();
        }
    }

    @Test
    void contentThatDoesNotMatchItsChecksumIsDataLoss() {
        var network = SimulatedFabricOptions.defaults()
                .withCorruptionProbability(0.5)
                .withCorruptible(immediate -> immediate != Immediate.CONTROL_MESSAGE);
        var options = SimulatedCluster.Options.validating();
        for (long seed = 0; seed < 24; seed++) {
            try (var scenario = scenario(seed, options, network)) {
                long lost = 0;
                for (int i = 0; i < 20; i++) {
                    send(scenario, "edge", 5000, i);
                    var receive = receive(scenario, "edge");
                    scenario.await(receive::hasEnded, "the receive ends");
                    if (receive.isFailure()) {
                        assertThat(receive.code()).isEqualTo(StatusCode.DATA_LOSS);
                        lost++;
                    } else {
                        assertContent(scenario, receive, 5000, i);
                    }
                }
                assertThat(lost).isPositive();
                assertThat(scenario.worker(0).manager.statistics().checksumMismatches())
                        .isEqualTo(lost);
                end(scenario);
            }
        }
    }

    /// Some are larger than what one peer may have of the proxies unless it has none.
    @Test
    void moreReceivesThanThereAreProxiesWaitForEachOther() {
        long waits = 0;
        for (long seed = 0; seed < 48; seed++) {
            try (var scenario = scenario(seed)) {
                var random = new Random(seed);
                var receives = new ArrayList<Scenario.Receive>();
                var order = new ArrayList<Integer>();
                for (int i = 0; i < 100; i++) {
                    receives.add(receive(scenario, "edge" + i));
                    order.add(i);
                }
                Collections.shuffle(order, random);
                for (int i : order) {
                    scenario.fabric.schedule(
                            random.nextLong(MILLISECOND_NS), () -> send(scenario, "edge" + i, size(i), i));
                }
                scenario.awaitAll();
                for (int i = 0; i < receives.size(); i++) {
                    assertContent(scenario, receives.get(i), size(i), i);
                }
                waits += statistics(scenario).proxyWaits();
                assertThat(statistics(scenario).highWaterProxyBytes()).isLessThanOrEqualTo(AcceleratorResults.SHARE);
                end(scenario);
            }
        }
        assertThat(waits).as("proxies that were waited for").isGreaterThan(1000);
    }

    private static int size(int index) {
        return index % 10 == 9 ? 150_000 : 20_000 + index;
    }

    @Test
    void aReceiveThatIsContentWithAQueuedCopyEndsBeforeIt() {
        for (long seed = 0; seed < 48; seed++) {
            try (var scenario = scenario(seed)) {
                exchange(scenario, "before", 10, 1);
                device(scenario).hold();
                ReceiveOptions queued = ReceiveOptions.defaults().withDelivery(Delivery.QUEUED);
                send(scenario, "queued", 50_000, 2);
                send(scenario, "complete", 50_000, 3);
                var early = receive(scenario, "queued", queued);
                var late = receive(scenario, "complete");
                scenario.await(early::hasEnded, "the copy is queued");
                scenario.runFor(20 * MILLISECOND_NS);
                assertThat(late.hasEnded()).isFalse();
                DeviceEvent ready = Objects.requireNonNull(early.tensor().readyEvent());
                assertThat(ready.isReached()).isFalse();
                assertThat(statistics(scenario).receiveProxyBytes()).isEqualTo(100_000);

                device(scenario).release();
                scenario.await(ready::isReached, "the copy");
                assertContent(scenario, early, 50_000, 2);
                scenario.await(late::hasEnded, "the other");
                assertThat(late.tensor().readyEvent()).isNull();
                assertContent(scenario, late, 50_000, 3);
                end(scenario);
            }
        }
    }

    /// The memory is not given to others while something is copied there.
    @Test
    void aTensorThatIsClosedBeforeItsCopyIsDoneKeepsItsMemory() {
        try (var scenario = scenario(2)) {
            device(scenario).hold();
            send(scenario, "edge", 50_000, 2);
            var receive = receive(scenario, "edge", ReceiveOptions.defaults().withDelivery(Delivery.QUEUED));
            scenario.await(receive::hasEnded, "the copy is queued");
            receive.close();
            scenario.runFor(MILLISECOND_NS);
            assertThat(statistics(scenario).deviceBytesInUse()).isGreaterThanOrEqualTo(50_000);

            Tensor other = AcceleratorResults.onDevice(scenario, 50_000, 9);
            device(scenario).release();
            scenario.runFor(10 * MILLISECOND_NS);
            assertContent(scenario, other, 50_000, 9);
            other.close();
            end(scenario);
        }
    }

    @Test
    void aQueuedDeliveryOfNothingIsComplete() {
        try (var scenario = scenario(3)) {
            for (int value = 1; value <= 2; value++) {
                send(scenario, "empty", 0, 0);
                var receive =
                        receive(scenario, "empty", ReceiveOptions.defaults().withDelivery(Delivery.QUEUED));
                scenario.await(receive::hasEnded, "an empty tensor");
                assertThat(receive.tensor().readyEvent()).isNull();
                assertThat(receive.tensor().address()).isZero();
                assertContent(scenario, receive, 0, 0);
            }
            end(scenario);
        }
    }
}
