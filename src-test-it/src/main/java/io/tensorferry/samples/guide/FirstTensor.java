package io.tensorferry.samples.guide;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// Sends one tensor from a parameter server to a worker. Start it twice: with `ps` and with `worker`.
public final class FirstTensor {
    private static final RendezvousKey WEIGHTS = RendezvousKey.of(
            DeviceName.parse("/job:ps/replica:0/task:0/device:CPU:0"),
            DeviceName.parse("/job:worker/replica:0/task:0/device:CPU:0"),
            "weights");
    private static final long STEP = 1;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    public static void main(String[] arguments) throws InterruptedException {
        run(ClusterSpec.of(Map.of("ps", List.of("localhost:2222"), "worker", List.of("localhost:2223"))), arguments[0]);
    }

    static void run(ClusterSpec cluster, String job) throws InterruptedException {
        try (TransportServer server =
                TransportServer.builder().cluster(cluster).job(job).task(0).start()) {
            if (job.equals("ps")) {
                send(server);
            } else {
                System.out.println(Arrays.toString(receive(server)));
            }
            // Waits until the consumer has received the tensor, then closes the step.
            server.finishStep(STEP, TIMEOUT);
        }
    }

    private static void send(TransportServer server) {
        try (Tensor weights = server.allocator().allocate(DataType.FLOAT, Shape.of(2, 3))) {
            weights.asByteBuffer().asFloatBuffer().put(new float[] {1, 2, 3, 4, 5, 6});
            // Does not wait for the consumer.
            server.rendezvous(STEP).send(WEIGHTS, weights);
        }
    }

    static float[] receive(TransportServer server) throws InterruptedException {
        try (Tensor weights = server.rendezvous(STEP).recv(WEIGHTS, TIMEOUT).tensorOrThrow()) {
            return weights.toFloatArray();
        }
    }
}
