package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.AcceleratorResults.assertContent;
import static io.tensorferry.verbs.simulation.AcceleratorResults.device;
import static io.tensorferry.verbs.simulation.AcceleratorResults.end;
import static io.tensorferry.verbs.simulation.AcceleratorResults.exchange;
import static io.tensorferry.verbs.simulation.AcceleratorResults.receive;
import static io.tensorferry.verbs.simulation.AcceleratorResults.scenario;
import static io.tensorferry.verbs.simulation.AcceleratorResults.send;
import static io.tensorferry.verbs.simulation.AcceleratorResults.statistics;
import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Delivery;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A failure of the accelerator that should hold a result ends the receive, and the worker goes on.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AcceleratorReceiveFailureTest {
    private static final int SIZE = 40_000;
    private final TransportException fault =
            new TransportException(StatusCode.INTERNAL, "cuMemcpyHtoDAsync: an illegal address, on purpose");

    /// The accelerator has failed: what was under way is nobody's any more, but all else is back.
    private static void endBroken(Scenario scenario, long strandedProxies) {
        scenario.closeSteps();
        scenario.await(
                () -> scenario.isQuiet() && !scenario.worker(0).accelerators.isBusy(), "nothing is under way any more");
        scenario.runFor(10 * MILLISECOND_NS);
        assertThat(statistics(scenario).receiveProxyBytes()).isZero();
        assertThat(statistics(scenario).strandedBytes()).isEqualTo(strandedProxies);
        assertThat(scenario.log.errors())
                .hasSize(1)
                .first()
                .asString()
                .contains("GPU:0")
                .contains("on purpose");
        scenario.log.forgetErrors();
        scenario.cluster.close();
        scenario.log.assertNoErrors();
        assertThat(device(scenario).mistakes()).isEmpty();
    }

    @Test
    void aCopyThatFailsEndsItsReceiveAndAllLaterOnes() {
        for (Delivery delivery : Delivery.values()) {
            for (long seed = 0; seed < 24; seed++) {
                try (var scenario = scenario(seed)) {
                    exchange(scenario, "before", 10, 1);
                    device(scenario).failNextCopy(fault);
                    Tensor sent = Scenario.bytes(scenario.worker(1), SIZE, 2);
                    send(scenario, "edge", Watched.memoryOf(sent));
                    var failing =
                            receive(scenario, "edge", ReceiveOptions.defaults().withDelivery(delivery));
                    scenario.await(failing::hasEnded, "the receive ends");
                    assertThat(failing.failure()).isSameAs(fault);
                    scenario.await(sent::isClosed, "the sender is done with its tensor");

                    var later = receive(scenario, "later");
                    scenario.await(later::hasEnded, "the next receive ends");
                    assertThat(later.failure()).isSameAs(fault);
                    assertThat(scenario.worker(0).manager.statistics().failedReceives())
                            .isEqualTo(1);
                    scenario.exchange(1, 0, 1, "host", SIZE, 3);
                    endBroken(scenario, SIZE);
                }
            }
        }
    }

    /// It had ended when the copy was queued: the event says what became of that.
    @Test
    void theEventOfAQueuedCopySaysThatItFailed() {
        try (var scenario = scenario(1)) {
            device(scenario).hold();
            send(scenario, "edge", SIZE, 2);
            var receive = receive(scenario, "edge", ReceiveOptions.defaults().withDelivery(Delivery.QUEUED));
            scenario.await(receive::hasEnded, "the copy is queued");
            DeviceEvent ready = Objects.requireNonNull(receive.tensor().readyEvent());
            assertThat(ready.isReached()).isFalse();
            device(scenario).breakDevice(fault);
            scenario.runFor(MILLISECOND_NS);
            assertThatThrownBy(ready::isReached).isSameAs(fault);
            receive.close();
            // The memory is not given to anybody else.
            assertThat(statistics(scenario).deviceBytesInUse()).isGreaterThanOrEqualTo(SIZE);
            endBroken(scenario, SIZE);
        }
    }

    /// Whatever the others are doing then: each ends, with its tensor or with what the driver said.
    @Test
    void anAcceleratorMayBreakAtAnyMoment() {
        int came = 0;
        int failed = 0;
        for (long seed = 0; seed < 150; seed++) {
            var options = seed % 5 == 0 ? SimulatedCluster.Options.validating() : SimulatedCluster.Options.defaults();
            try (var scenario = scenario(seed, options, Scenario.network().withMaxMessageBytes(4096))) {
                var receives = new ArrayList<Scenario.Receive>();
                for (int i = 0; i < 12; i++) {
                    int number = i;
                    scenario.fabric.schedule(new Random(seed + i).nextLong(MILLISECOND_NS), () -> {
                        receives.add(receive(scenario, "edge" + number));
                        send(scenario, "edge" + number, SIZE, number);
                    });
                }
                scenario.runFor(new Random(seed).nextLong(12 * MILLISECOND_NS));
                device(scenario).breakDevice(fault);
                scenario.await(() -> receives.size() == 12, "all have begun");
                scenario.awaitAll();
                for (var receive : receives) {
                    if (receive.isFailure()) {
                        failed++;
                        assertThat(receive.failure()).isSameAs(fault);
                    } else {
                        came++;
                        receive.close();
                    }
                }
                scenario.exchange(1, 0, 1, "host", SIZE, 3);
                scenario.closeSteps();
                scenario.await(scenario::isQuiet, "nothing is under way any more");
                scenario.runFor(10 * MILLISECOND_NS);
                assertThat(statistics(scenario).receiveProxyBytes()).isZero();
                scenario.log.forgetErrors();
                scenario.cluster.close();
                scenario.log.assertNoErrors();
                assertThat(device(scenario).mistakes()).isEmpty();
            }
        }
        assertThat(came).isGreaterThan(100);
        assertThat(failed).isGreaterThan(100);
    }

    @Test
    void withoutDeviceMemoryAReceiveEndsAndTheNextMayHaveSome() {
        var device = SimulatedAcceleratorOptions.defaults().withCapacity(1 << 20);
        var options = SimulatedCluster.Options.defaults().withGpu(AcceleratorResults.gpu(device));
        try (var scenario = new Scenario(1, 2, 0, options, Scenario.network())) {
            var taken = new ArrayList<Tensor>();
            for (int i = 0; i < 4; i++) {
                taken.add(AcceleratorResults.onDevice(scenario, 250_000, i));
            }
            Tensor sent = Scenario.bytes(scenario.worker(1), 100_000, 1);
            send(scenario, "edge", Watched.memoryOf(sent));
            var receive = receive(scenario, "edge");
            scenario.await(receive::hasEnded, "the receive ends");
            assertThat(receive.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
            scenario.await(sent::isClosed, "the sender is done with its tensor");

            taken.removeFirst().close();
            exchange(scenario, "edge", 100_000, 2);
            taken.forEach(Tensor::close);
            end(scenario);
        }
    }

    @Test
    void aTensorThatIsLargerThanAllProxiesIsRefusedWithTheNameOfTheirLimit() {
        try (var scenario = scenario(1)) {
            Tensor sent = Scenario.bytes(scenario.worker(1), AcceleratorResults.SHARE + 1, 1);
            send(scenario, "edge", Watched.memoryOf(sent));
            var receive = receive(scenario, "edge");
            scenario.await(receive::hasEnded, "the receive ends");
            assertThat(receive.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
            assertThat(receive.failure())
                    .hasMessageContaining((AcceleratorResults.SHARE + 1) + " bytes")
                    .hasMessageContaining("proxyBytes (" + 2 * AcceleratorResults.SHARE + ")");
            scenario.await(sent::isClosed, "the sender is done with its tensor");
            exchange(scenario, "edge", AcceleratorResults.SHARE, 2);
            end(scenario);
        }
    }

    @Test
    void anAllocatorOfTheUsersGivesTheMemoryOrEndsItsReceive() {
        try (var scenario = scenario(1)) {
            var own = new UsersAllocator(scenario);
            for (int size : new int[] {0, 90, SIZE}) {
                send(scenario, "edge", size, 4);
                var receive =
                        receive(scenario, "edge", ReceiveOptions.defaults().into(own));
                scenario.await(receive::hasEnded, "a result in memory of the user's");
                assertThat(own.made).contains(receive.tensor());
                assertContent(scenario, receive, size, 4);
            }
            for (String wrong : List.of("shape", "host", "throws")) {
                own.wrong = wrong;
                Tensor sent = Scenario.bytes(scenario.worker(1), SIZE, 5);
                send(scenario, "edge", Watched.memoryOf(sent));
                var receive =
                        receive(scenario, "edge", ReceiveOptions.defaults().into(own));
                scenario.await(receive::hasEnded, "the receive ends");
                assertThat(receive.code()).as(wrong).isEqualTo(StatusCode.INTERNAL);
                scenario.await(sent::isClosed, "the sender is done with its tensor");
            }
            assertThat(own.made).allMatch(Tensor::isClosed);
            end(scenario);
        }
    }

    /// Memory of worker 0's accelerator.
    private static final class UsersAllocator implements TensorAllocator {
        private final Scenario scenario;
        private final List<Tensor> made = new ArrayList<>();
        private String wrong = "";

        private UsersAllocator(Scenario scenario) {
            this.scenario = scenario;
        }

        @Override
        public Device device() {
            return AcceleratorResults.device(scenario);
        }

        @Override
        public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
            Tensor tensor = switch (wrong) {
                case "shape" -> AcceleratorResults.onDevice(scenario, 7, 0);
                case "host" -> Scenario.bytes(scenario.worker(0), byteSize, 0);
                case "throws" -> throw new IllegalArgumentException("broken, on purpose");
                default -> AcceleratorResults.onDevice(scenario, (int) byteSize, 0);
            };
            made.add(tensor);
            return tensor;
        }
    }
}
