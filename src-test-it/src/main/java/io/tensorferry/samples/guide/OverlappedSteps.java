package io.tensorferry.samples.guide;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/// Runs several steps at the same time and finishes them in the background. Start it twice: with `ps` and with
/// `worker`.
public final class OverlappedSteps {
    private static final RendezvousKey BATCH = RendezvousKey.of(
            DeviceName.parse("/job:ps/replica:0/task:0/device:CPU:0"),
            DeviceName.parse("/job:worker/replica:0/task:0/device:CPU:0"),
            "batch");
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final long STEPS = 100;
    private static final int MAX_OPEN_STEPS = 4;

    public static void main(String[] arguments) {
        run(ClusterSpec.of(Map.of("ps", List.of("localhost:2222"), "worker", List.of("localhost:2223"))), arguments[0]);
    }

    static void run(ClusterSpec cluster, String job) {
        try (TransportServer server =
                TransportServer.builder().cluster(cluster).job(job).task(0).start()) {
            if (job.equals("ps")) {
                produce(server);
            } else {
                System.out.println("received " + consume(server) + " tensors");
            }
        }
    }

    private static void produce(TransportServer server) {
        Queue<CompletableFuture<Void>> openSteps = new ArrayDeque<>();
        for (long step = 0; step < STEPS; step++) {
            try {
                sendBatch(server, step);
            } catch (RuntimeException e) {
                // The receives of this step fail at once, with this status.
                server.rendezvous(step).startAbort(StatusCode.INTERNAL, "no batch for step " + step + ": " + e);
                throw e;
            }
            openSteps.add(server.finishStepAsync(step, TIMEOUT));
            // Bounds the memory of tensors that are not received yet.
            if (openSteps.size() == MAX_OPEN_STEPS) {
                openSteps.remove().join();
            }
        }
        openSteps.forEach(CompletableFuture::join);
    }

    private static void sendBatch(TransportServer server, long step) {
        if (step % 10 == 9) {
            // No batch in this step.
            server.rendezvous(step).sendDead(BATCH);
            return;
        }
        try (Tensor batch = server.allocator().allocate(DataType.INT64, Shape.scalar())) {
            batch.asByteBuffer().putLong(0, step);
            server.rendezvous(step).send(BATCH, batch);
        }
    }

    static long consume(TransportServer server) {
        long received = 0;
        for (long step = 0; step < STEPS; step++) {
            CompletableFuture<RecvResult> batch = server.rendezvous(step).recvAsync(BATCH, TIMEOUT);
            CompletableFuture<Void> finished = server.finishStepAsync(step, TIMEOUT);
            switch (batch.join()) {
                case RecvResult.Received(Tensor tensor) -> {
                    try (tensor) {
                        received++;
                    }
                }
                case RecvResult.Dead() -> System.out.println("step " + step + " has no batch");
                case RecvResult.Failed(TransportException cause) -> throw cause;
            }
            finished.join();
        }
        return received;
    }
}
