package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Tensors on accelerators whose memory the device reaches by itself.
abstract class DirectContract extends RendezvousContract {
    private static final int[] SIZES = {1, 4096, 70_001, 3 << 20};

    DirectContract(Protocol protocol) {
        super(protocol);
    }

    private static AcceleratorStatistics statistics(TransportServer server) {
        return server.statistics().accelerators().getFirst();
    }

    /// Twice with each size: once with metadata that the receiver does not know, once with what it remembers.
    @Test
    void tensorsAreReadAndWrittenWhereTheyAre() throws Exception {
        // Only software devices know memory of simulated accelerators.
        String direct = statistics(producer()).direct();
        assumeTrue(direct.startsWith("by "), () -> "the device does not reach memory of the accelerators: " + direct);
        // A dmabuf takes no windows: with keys of requests results come by way of host memory.
        boolean toSend = direct.contains("for sending only");
        long sentBefore = statistics(producer()).directTensors();
        long before = statistics(consumer()).directTensors();
        for (int size : SIZES) {
            for (long step = 1; step <= 2; step++) {
                sending(step).send(key("edge " + size), Contents.bytes(allocator(), size, step));
                Contents.checkBytes(receiving(step).recv(key("edge " + size), LIMIT), size, step);
            }
        }
        assertThat(statistics(producer()).directTensors() - sentBefore).isEqualTo(2L * SIZES.length);
        assertThat(statistics(consumer()).directTensors() - before).isEqualTo(toSend ? 0 : 2L * SIZES.length);
        for (TransportServer server : toSend ? List.<TransportServer>of() : List.of(producer(), consumer())) {
            assertThat(statistics(server).stagedTensors()).isZero();
            assertThat(statistics(server).highWaterProxyBytes()).isZero();
        }
    }
}
