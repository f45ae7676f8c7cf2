package io.tensorferry.samples.guide;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ServerConfig;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Gradient descent with one parameter server and any number of workers. `TF_CONFIG` names the cluster and the task.
///
/// Worker `n` computes the gradient of `(w - n)^2 / 2`, so the weight converges to the mean of the tasks' numbers.
public final class ParameterServer {
    private static final DeviceName PS = DeviceName.parse("/job:ps/replica:0/task:0/device:CPU:0");
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final long STEPS = 20;
    private static final float LEARNING_RATE = 0.5f;

    public static void main(String[] arguments) throws InterruptedException {
        run(ServerConfig.fromEnvironment());
    }

    static void run(ServerConfig config) throws InterruptedException {
        try (TransportServer server = TransportServer.builder().config(config).start()) {
            if (config.job().equals("ps")) {
                System.out.println("trained weight: " + train(server));
            } else {
                work(server);
            }
        }
    }

    static float train(TransportServer server) throws InterruptedException {
        List<DeviceName> workers = server.cluster().tasks("worker").stream()
                .map(task -> new DeviceName("worker", 0, task, "CPU", 0))
                .toList();
        float weight = 100;
        for (long step = 0; step < STEPS; step++) {
            Rendezvous rendezvous = server.rendezvous(step);
            try (Tensor tensor = scalar(server, weight)) {
                for (DeviceName worker : workers) {
                    // send() takes over its handle. share() makes another handle on the same memory.
                    try (Tensor handle = tensor.share()) {
                        rendezvous.send(RendezvousKey.of(PS, worker, "weight"), handle);
                    }
                }
            }
            // Start all receives before waiting for the first: the gradients travel in parallel.
            List<CompletableFuture<RecvResult>> gradients = workers.stream()
                    .map(worker -> rendezvous.recvAsync(RendezvousKey.of(worker, PS, "gradient"), TIMEOUT))
                    .toList();
            float sum = 0;
            for (CompletableFuture<RecvResult> gradient : gradients) {
                sum += value(gradient.join());
            }
            weight -= LEARNING_RATE * sum / workers.size();
            server.finishStep(step, TIMEOUT);
        }
        return weight;
    }

    private static void work(TransportServer server) throws InterruptedException {
        DeviceName self = server.deviceName(0);
        for (long step = 0; step < STEPS; step++) {
            Rendezvous rendezvous = server.rendezvous(step);
            float weight = value(rendezvous.recv(RendezvousKey.of(PS, self, "weight"), TIMEOUT));
            try (Tensor gradient = scalar(server, weight - self.task())) {
                rendezvous.send(RendezvousKey.of(self, PS, "gradient"), gradient);
            }
            server.finishStep(step, TIMEOUT);
        }
    }

    private static Tensor scalar(TransportServer server, float value) {
        Tensor tensor = server.allocator().allocate(DataType.FLOAT, Shape.scalar());
        tensor.asByteBuffer().putFloat(0, value);
        return tensor;
    }

    private static float value(RecvResult result) {
        try (Tensor tensor = result.tensorOrThrow()) {
            return tensor.asByteBuffer().getFloat(0);
        }
    }
}
