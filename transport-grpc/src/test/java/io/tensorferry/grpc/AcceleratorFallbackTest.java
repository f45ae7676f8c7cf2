package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.verbs.config.Fallback;
import io.tensorferry.verbs.config.RdmaConfig;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tensors between accelerators of two workers, one of which has a device that does not work: they go over gRPC.
@Timeout(60)
class AcceleratorFallbackTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    // How long the worker tries to set up a channel before the first tensor goes over gRPC.
    private static final Duration CONNECT = Duration.ofSeconds(1);
    // More than one piece, and more than one message of the stream.
    private static final int[] SIZES = {0, 1, 5 << 20};

    private final AcceleratorTime time = AcceleratorTime.real();
    private final List<SimulatedAccelerator> gpus = List.of(gpu(1), gpu(2));
    private final TestCluster cluster = new TestCluster(2);
    private final BreakableProvider device = new BreakableProvider();

    private SimulatedAccelerator gpu(int seed) {
        return new SimulatedAccelerator(0, time, seed, SimulatedAcceleratorOptions.defaults());
    }

    @AfterEach
    void nothingIsLeft() {
        device.recover();
        cluster.close();
        for (SimulatedAccelerator each : gpus) {
            assertThat(each.leftOver()).isEmpty();
            assertThat(each.mistakes()).isEmpty();
        }
        time.close();
        assertThat(Tensor.leakedHandleCount()).isZero();
    }

    private TransportServer start(int task) {
        TransportServerBuilder builder = cluster.builder(task)
                .protocol(ServerConfig.GRPC_VERBS)
                .rdmaConfig(RdmaConfig.builder().device("soft0").build())
                .fallback(Fallback.GRPC)
                .connectTimeout(CONNECT)
                .accelerators(List.of(gpus.get(task)));
        return cluster.add((task == 0 ? builder.verbsProviders(List.of(device)) : builder).start());
    }

    @Test
    void tensorsComeByTheHostOfBothWorkers() throws Exception {
        device.breakDown();
        TransportServer consumer = start(0);
        TransportServer producer = start(1);
        // The fallback waits no longer for a peer that was never reached than for one that was lost.
        consumer.awaitPeers(SOON);
        for (int size : SIZES) {
            var content = new byte[size];
            new Random(size).nextBytes(content);
            Tensor sent = producer.allocator(gpus.get(1)).allocate(DataType.UINT8, Shape.of(size));
            if (size > 0) {
                gpus.get(1).poke(sent.address(), content);
            }
            var key = RendezvousKey.of(
                    producer.deviceName(gpus.get(1)), consumer.deviceName(gpus.get(0)), "edge " + size);
            producer.rendezvous(1).send(key, sent);
            try (Tensor received = consumer.rendezvous(1).recv(key, SOON).tensorOrThrow()) {
                assertThat(received.device()).isSameAs(gpus.get(0));
                assertThat(received.byteSize()).isEqualTo(size);
                if (size > 0) {
                    assertThat(gpus.get(0).peek(received.address(), size)).isEqualTo(content);
                }
            }
        }
        assertThat(consumer.statistics().verbs().fallbackReceives()).isEqualTo(SIZES.length);
    }
}
