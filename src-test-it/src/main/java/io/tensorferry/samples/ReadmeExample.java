package io.tensorferry.samples;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// The example of the README. What stands between the two marks is there word for word; a test compares them.
public final class ReadmeExample {
    public static void main(String[] arguments) {
        var cluster = ClusterSpec.of(Map.of("ps", List.of("localhost:2222"), "worker", List.of("localhost:2223")));
        System.out.println(Arrays.toString(ferry(cluster)));
    }

    // README begins
    /// How long a step may wait for its consumers.
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /// One tensor from a parameter server to a worker: here in one process, in real life in two.
    static float[] ferry(ClusterSpec cluster) {
        try (TransportServer ps = start(cluster, "ps");
                TransportServer worker = start(cluster, "worker")) {
            var key = RendezvousKey.of(ps.deviceName(0), worker.deviceName(0), "weights");
            long step = 1;

            // The producer puts a tensor, here in registered memory, under a key. It never waits.
            try (Tensor weights = ps.allocator().allocate(DataType.FLOAT, Shape.of(2, 3))) {
                weights.asByteBuffer().asFloatBuffer().put(new float[] {1, 2, 3, 4, 5, 6});
                ps.rendezvous(step).send(key, weights);
            }
            // It sends nothing more in this step, which ends when the consumer has the tensor.
            CompletableFuture<Void> sent = ps.finishStepAsync(step, LIMIT);

            // The consumer asks for the key, before or after. The bytes land in memory of its own.
            RecvResult result = worker.rendezvous(step).recvAsync(key).join();
            float[] values;
            try (Tensor received = result.tensorOrThrow()) {
                values = received.toFloatArray();
            }
            worker.finishStepAsync(step, LIMIT).join();
            sent.join();
            return values;
        }
    }

    static TransportServer start(ClusterSpec cluster, String job) {
        return TransportServer.builder().cluster(cluster).job(job).task(0).start();
    }
    // README ends

    private ReadmeExample() {}
}
