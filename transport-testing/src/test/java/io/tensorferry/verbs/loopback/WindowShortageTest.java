package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicReceiver;
import io.tensorferry.api.edge.DynamicSender;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.device.VerbsException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A device that cannot create a memory window fails the receive or the edge that needs one, and nothing else.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class WindowShortageTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    // Too large for a message of the ring.
    private static final int SIZE = 5000;
    // Larger than the pieces of the workers' accelerators.
    private static final int PIECES = 100_000;

    private final FaultyDevice device = new FaultyDevice();

    @Test
    void aReceiveWithoutAWindowIsExhaustedAndLaterOnesGoOn() throws InterruptedException {
        try (var workers = new LoopbackWorkers(device, RemoteKeyScope.REQUEST)) {
            device.refuse(
                    "allocateWindow", new VerbsException("ibv_alloc_mw", VerbsException.ENOMEM, "refused by the test"));
            // The first is requested again with memory, the second names memory at once: the sender keeps a tensor for
            // the first request and has not received the second.
            assertExhausted(workers, 1);
            assertExhausted(workers, 2);
            device.recover();
            RecvResult received = receive(workers, 3);
            assertThat(received).isInstanceOf(RecvResult.Received.class);
            received.tensorOrThrow().close();
            assertThat(workers.worker(0).adapter.counters().failed())
                    .as("channels that were lost")
                    .isZero();
        }
    }

    /// The first tensor is not announced, and the edge ends; the next edge has windows.
    @Test
    void aDynamicEdgeWithoutAWindowIsExhaustedAndTheNextCarriesTensors() throws Exception {
        try (var workers = new LoopbackWorkers(device, RemoteKeyScope.REQUEST)) {
            device.refuse(
                    "allocateWindow", new VerbsException("ibv_alloc_mw", VerbsException.ENOMEM, "refused by the test"));
            var edge = DynamicEdge.of(LoopbackWorkers.key(0, 1, "edge"));
            DynamicReceiver receiver = workers.worker(1).edges.openReceiver(edge);
            DynamicSender sender = workers.worker(0).edges.openSender(edge);
            for (int i = 0; i < 3; i++) {
                sender.send(workers.worker(0).bytes(SIZE, i));
            }
            sender.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            receiver.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(receiver::take)
                    .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
                    .withMessageContaining("no memory window");
            try (Tensor refused = workers.worker(0).bytes(SIZE, 4)) {
                assertThatExceptionOfType(TransportException.class)
                        .isThrownBy(() -> sender.send(refused))
                        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
            }
            receiver.close();
            device.recover();
            DynamicReceiver next = workers.worker(1).edges.openReceiver(edge);
            DynamicSender nextSender = workers.worker(0).edges.openSender(edge);
            var arrived = new Semaphore(0);
            next.onReady(arrived::release);
            nextSender.send(workers.worker(0).bytes(SIZE, 5));
            assertThat(arrived.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            next.take().close();
            nextSender.close();
            nextSender.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            next.close();
            next.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(workers.worker(0).adapter.counters().failed())
                    .as("channels that were lost")
                    .isZero();
        }
    }

    /// No window is left for any of its pieces: the receive ends once.
    @Test
    void aPieceWithoutAWindowIsExhaustedAndLaterReceivesGoOn() throws InterruptedException {
        var time = AcceleratorTime.real();
        var gpu = new SimulatedAccelerator(0, time, 1, SimulatedAcceleratorOptions.defaults());
        var key = RendezvousKey.of(
                DeviceName.parse(LoopbackWorkers.name(1) + "/device:CPU:0"),
                DeviceName.parse(LoopbackWorkers.name(0) + "/device:GPU:0"),
                "wanted");
        try (var workers = new LoopbackWorkers(device, RemoteKeyScope.REQUEST, gpu)) {
            device.refuse(
                    "allocateWindow", new VerbsException("ibv_alloc_mw", VerbsException.ENOMEM, "refused by the test"));
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> receive(workers, key, PIECES, 1))
                    .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
            device.recover();
            receive(workers, key, PIECES, 2).tensorOrThrow().close();
            while (workers.worker(0).accelerators.statistics().getFirst().receiveProxyBytes() > 0) {
                assertThat(Thread.interrupted()).isFalse();
                Thread.onSpinWait();
            }
            assertThat(workers.worker(0).adapter.counters().failed())
                    .as("channels that were lost")
                    .isZero();
        }
        assertThat(gpu.mistakes()).isEmpty();
        assertThat(gpu.leftOver()).isEmpty();
        gpu.close();
        time.close();
    }

    private static RecvResult receive(LoopbackWorkers workers, long step) throws InterruptedException {
        return receive(workers, LoopbackWorkers.key(1, 0, "wanted"), SIZE, step);
    }

    private static RecvResult receive(LoopbackWorkers workers, RendezvousKey key, int size, long step)
            throws InterruptedException {
        var sender = workers.worker(1);
        sender.manager.rendezvous(step).send(key, sender.bytes(size, 7));
        return workers.worker(0).manager.rendezvous(step).recv(key, LIMIT);
    }

    private static void assertExhausted(LoopbackWorkers workers, long step) {
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> receive(workers, step))
                .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
    }
}
