package io.tensorferry.samples.digits;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/// An exchange by requests: each training step is one step of the transport, with its own rendezvous.
final class RendezvousExchange implements ModelExchange {
    private static final Duration FINISH_LIMIT = Duration.ofSeconds(30);

    private final TransportServer server;
    private final DeviceName self;
    // Steps with unreceived tensors, the oldest first.
    private final Queue<CompletableFuture<Void>> finishing = new ArrayDeque<>();

    RendezvousExchange(TransportServer server) {
        this.server = server;
        this.self = server.deviceName(0);
    }

    @Override
    public void send(long step, List<DeviceName> to, String name, Shape shape, double... values) {
        try (Tensor tensor = ModelExchange.tensor(server.allocator(), shape, values)) {
            for (DeviceName device : to) {
                // send takes ownership of its handle, so each consumer gets a separate handle to the same memory.
                try (Tensor share = tensor.share()) {
                    server.rendezvous(step).send(RendezvousKey.of(self, device, name), share);
                }
            }
        }
    }

    @Override
    public CompletableFuture<double[]> receive(long step, DeviceName from, String name, Shape shape) {
        return server.rendezvous(step)
                .recvAsync(RendezvousKey.of(from, self, name))
                .thenApply(RendezvousExchange::elements);
    }

    private static double[] elements(RecvResult result) {
        try (Tensor tensor = result.tensorOrThrow()) {
            return tensor.toDoubleArray();
        }
    }

    @Override
    public void stepDone(long step) {
        finishing.add(server.finishStepAsync(step, FINISH_LIMIT));
        // Reports the failure of a step that did not finish.
        while (!finishing.isEmpty() && finishing.peek().isDone()) {
            finishing.remove().join();
        }
    }

    @Override
    public void close() {
        finishing.forEach(CompletableFuture::join);
    }
}
