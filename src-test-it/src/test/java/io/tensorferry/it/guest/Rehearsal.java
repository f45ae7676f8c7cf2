package io.tensorferry.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.it.process.FreePorts;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Uses what most JVMs in the guest use, so that [GuestClasses] gets to know the classes: two servers, and a test.
class Rehearsal {
    private static final int SECONDS = 30;

    @Test
    @Timeout(value = 2 * SECONDS, unit = TimeUnit.SECONDS)
    void tensorsGoFromOneServerToTheOther() throws Exception {
        var cluster = ClusterSpec.of(Map.of(
                "worker",
                FreePorts.pick(2).stream().map(port -> "localhost:" + port).toList()));
        try (TransportServer sender = start(cluster, 0);
                TransportServer receiver = start(cluster, 1)) {
            send(sender, receiver, "small", sender.allocator().allocate(DataType.FLOAT, Shape.of(8)));
            send(sender, receiver, "large", sender.allocator().allocate(DataType.UINT8, Shape.of(1 << 20)));
            byte[] word = "word".getBytes(StandardCharsets.UTF_8);
            send(sender, receiver, "words", sender.allocator().allocateStrings(Shape.of(1), List.of(word)));
            assertThat(receiver.statistics().toString()).contains("tensorsReceived=3");
        }
    }

    private static TransportServer start(ClusterSpec cluster, int task) {
        return TransportServer.builder()
                .cluster(cluster)
                .job("worker")
                .task(task)
                .start();
    }

    private static void send(TransportServer sender, TransportServer receiver, String edge, Tensor tensor)
            throws Exception {
        Shape shape = tensor.shape();
        RendezvousKey key = RendezvousKey.of(sender.deviceName(0), receiver.deviceName(0), edge);
        CompletableFuture<RecvResult> received = receiver.rendezvous(1).recvAsync(key);
        sender.rendezvous(1).send(key, tensor);
        try (Tensor arrived = received.get(SECONDS, TimeUnit.SECONDS).tensorOrThrow()) {
            assertThat(arrived.shape()).isEqualTo(shape);
        }
    }
}
