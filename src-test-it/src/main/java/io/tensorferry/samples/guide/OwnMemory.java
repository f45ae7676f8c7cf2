package io.tensorferry.samples.guide;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.grpc.MemoryRegistration;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/// Sends from memory that the application allocated, and receives into such memory. Start it twice: with `ps` and with
/// `worker`.
public final class OwnMemory {
    private static final RendezvousKey ACTIVATIONS = RendezvousKey.of(
            DeviceName.parse("/job:ps/replica:0/task:0/device:CPU:0"),
            DeviceName.parse("/job:worker/replica:0/task:0/device:CPU:0"),
            "activations");
    private static final Shape SHAPE = Shape.of(1024, 256);
    private static final long STEPS = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    public static void main(String[] arguments) throws InterruptedException {
        run(ClusterSpec.of(Map.of("ps", List.of("localhost:2222"), "worker", List.of("localhost:2223"))), arguments[0]);
    }

    static void run(ClusterSpec cluster, String job) throws InterruptedException {
        // The arena is closed last: a device may access the memory until the server has stopped.
        try (Arena arena = Arena.ofShared();
                TransportServer server = TransportServer.builder()
                        .cluster(cluster)
                        .job(job)
                        .task(0)
                        .start()) {
            MemorySegment memory = arena.allocate(SHAPE.byteSize(DataType.FLOAT), 64);
            try (MemoryRegistration _ = server.register(memory)) {
                if (job.equals("ps")) {
                    send(server, memory);
                } else {
                    System.out.println("sum of all elements received: " + receive(server, memory));
                }
            }
        }
    }

    private static void send(TransportServer server, MemorySegment memory) throws InterruptedException {
        for (long step = 1; step <= STEPS; step++) {
            var released = new CountDownLatch(1);
            try (Tensor tensor = Tensor.wrap(DataType.FLOAT, SHAPE, memory, released::countDown)) {
                FloatBuffer elements = tensor.asByteBuffer().asFloatBuffer();
                while (elements.hasRemaining()) {
                    elements.put((float) step);
                }
                server.rendezvous(step).send(ACTIVATIONS, tensor);
            }
            server.finishStep(step, TIMEOUT);
            // The transport has closed its last handle: the next step may overwrite the memory.
            released.await();
        }
    }

    static double receive(TransportServer server, MemorySegment memory) throws InterruptedException {
        TensorAllocator results =
                (dataType, shape, bytes) -> Tensor.wrap(dataType, shape, memory.asSlice(0, bytes), () -> {});
        ReceiveOptions options = ReceiveOptions.defaults().withTimeout(TIMEOUT).into(results);
        double sum = 0;
        for (long step = 1; step <= STEPS; step++) {
            try (Tensor tensor = server.rendezvous(step)
                    .recvAsync(ACTIVATIONS, options)
                    .join()
                    .tensorOrThrow()) {
                for (float element : tensor.toFloatArray()) {
                    sum += element;
                }
            }
            server.finishStep(step, TIMEOUT);
        }
        return sum;
    }
}
