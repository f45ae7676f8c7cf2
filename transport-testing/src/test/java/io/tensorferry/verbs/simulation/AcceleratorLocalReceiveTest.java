package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.AcceleratorResults.assertContent;
import static io.tensorferry.verbs.simulation.AcceleratorResults.device;
import static io.tensorferry.verbs.simulation.AcceleratorResults.end;
import static io.tensorferry.verbs.simulation.AcceleratorResults.statistics;
import static io.tensorferry.verbs.simulation.Scenario.MILLISECOND_NS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Delivery;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tensors on an accelerator that are received on the worker that sends them: it is the producer's tensor, and its
/// content may still be on its way.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AcceleratorLocalReceiveTest {
    private static final RendezvousKey KEY = AcceleratorResults.key(0, 0, "local", "GPU:0");
    private static final int SIZE = 100;

    /// A worker whose accelerator does nothing until it is let, and a stream of the producer's.
    private static final class Stage implements AutoCloseable {
        final Scenario scenario = AcceleratorResults.scenario(1);
        final DeviceStream stream = device(scenario).openStream();

        Stage() {
            device(scenario).hold();
        }

        /// A tensor whose content is there when the accelerator is let work.
        Tensor send() {
            Tensor tensor = AcceleratorResults.onDevice(scenario, SIZE, 7);
            scenario.worker(0)
                    .manager
                    .rendezvous(1)
                    .send(KEY, Watched.memoryOf(tensor).readyAfter(stream.record()));
            return tensor;
        }

        Scenario.Receive receive(ReceiveOptions options) {
            return scenario.receive(0, KEY, 1, options);
        }

        void pass() {
            scenario.runFor(MILLISECOND_NS);
        }

        /// The accelerator works; then all is back.
        void endWithNothingLeft() {
            device(scenario).release();
            stream.close();
            end(scenario);
        }

        @Override
        public void close() {
            scenario.close();
        }
    }

    @Test
    void aReceiveEndsWhenTheContentIsThere() {
        for (boolean sentFirst : new boolean[] {false, true}) {
            try (var stage = new Stage()) {
                if (sentFirst) {
                    stage.send();
                }
                var receive = stage.receive(ReceiveOptions.defaults());
                if (!sentFirst) {
                    stage.send();
                }
                stage.pass();
                assertThat(receive.hasEnded()).isFalse();
                device(stage.scenario).release();
                stage.scenario.await(receive::hasEnded, "the content");
                assertContent(stage.scenario, receive, SIZE, 7);
                stage.endWithNothingLeft();
            }
        }
    }

    @Test
    void aReceiveThatIsContentWithAQueuedContentEndsAtOnce() {
        try (var stage = new Stage()) {
            Tensor sent = stage.send();
            var receive = stage.receive(ReceiveOptions.defaults().withDelivery(Delivery.QUEUED));
            stage.pass();
            assertThat(receive.tensor().address()).isEqualTo(sent.address());
            assertThat(receive.tensor().readyEvent()).isNotNull();
            receive.close();
            stage.endWithNothingLeft();
        }
    }

    @Test
    void whatIsThereIsHandedOverAtOnce() {
        try (var stage = new Stage()) {
            Tensor tensor = AcceleratorResults.onDevice(stage.scenario, SIZE, 7);
            long address = tensor.address();
            stage.scenario.worker(0).manager.rendezvous(1).send(KEY, tensor);
            var receive = stage.receive(ReceiveOptions.defaults());
            stage.pass();
            assertThat(receive.tensor().address()).isEqualTo(address);
            receive.close();
            stage.endWithNothingLeft();
        }
    }

    /// The tensor was the receive's, and is closed with it.
    @Test
    void aReceiveThatIsGivenUpWhileItWaitsForTheContentClosesTheTensor() {
        try (var stage = new Stage()) {
            Tensor sent = stage.send();
            var receive = stage.receive(ReceiveOptions.defaults());
            stage.pass();
            assertThat(receive.cancel()).isTrue();
            assertThat(receive.cancel()).isFalse();
            stage.pass();
            assertThat(receive.code()).isEqualTo(StatusCode.CANCELLED);
            assertThat(sent.isClosed()).isTrue();
            stage.endWithNothingLeft();
        }
    }

    @Test
    void theDeadlineHoldsForTheContentToo() {
        try (var stage = new Stage()) {
            Tensor sent = stage.send();
            var receive = stage.receive(ReceiveOptions.defaults().withTimeout(Duration.ofMillis(5)));
            stage.pass();
            assertThat(receive.hasEnded()).isFalse();
            stage.scenario.runFor(6 * MILLISECOND_NS);
            assertThat(receive.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
            assertThat(sent.isClosed()).isTrue();
            stage.endWithNothingLeft();
        }
    }

    @Test
    void anAbortEndsTheWait() {
        try (var stage = new Stage()) {
            Tensor sent = stage.send();
            var receive = stage.receive(ReceiveOptions.defaults());
            stage.pass();
            stage.scenario.worker(0).manager.rendezvous(1).startAbort(StatusCode.DATA_LOSS, "the user's reason");
            stage.pass();
            assertThat(receive.code()).isEqualTo(StatusCode.DATA_LOSS);
            assertThat(sent.isClosed()).isTrue();
            stage.endWithNothingLeft();
        }
    }

    @Test
    void anAcceleratorThatBreaksEndsTheWait() {
        try (var stage = new Stage()) {
            var fault = new TransportException(StatusCode.INTERNAL, "a fault, on purpose");
            Tensor sent = stage.send();
            var receive = stage.receive(ReceiveOptions.defaults());
            stage.pass();
            device(stage.scenario).breakDevice(fault);
            stage.pass();
            assertThat(receive.failure()).isSameAs(fault);
            assertThat(sent.isClosed()).isTrue();
            assertThat(statistics(stage.scenario).deviceBytesInUse()).isZero();
            stage.scenario.log.forgetErrors();
        }
    }

    @Test
    void aWaitEndsWithTheTransport() {
        try (var stage = new Stage()) {
            Tensor sent = stage.send();
            var receive = stage.receive(ReceiveOptions.defaults());
            stage.pass();
            stage.scenario.cluster.close();
            stage.pass();
            assertThat(receive.code()).isEqualTo(StatusCode.ABORTED);
            assertThat(sent.isClosed()).isTrue();
        }
    }
}
