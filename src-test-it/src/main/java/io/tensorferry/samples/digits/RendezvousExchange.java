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

/// Each tensor is asked for: each training step is one step of the transport, with a rendezvous of its own.
final class RendezvousExchange implements ModelExchange {
    private static final Duration FINISH_LIMIT = Duration.ofSeconds(30);

    private final TransportServer server;
    private final DeviceName self;
    // Steps whose tensors are not all received, the oldest first.
    private final Queue<CompletableFuture<Void>> finishing = new ArrayDeque<>();

    RendezvousExchange(TransportServer server) {
        this.server = server;
        this.self = server.deviceName(0);
    }

    @Override
    public void send(long step, List<DeviceName> to, String name, Shape shape, double... values) {
        try (Tensor tensor = ModelExchange.tensor(server.allocator(), shape, values)) {
            for (DeviceName device : to) {
                // send takes over the handle that it is given: each consumer gets one of its own on the same memory.
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
        // A step that could not be finished says so here.
        while (!finishing.isEmpty() && finishing.peek().isDone()) {
            finishing.remove().join();
        }
    }

    @Override
    public void close() {
        finishing.forEach(CompletableFuture::join);
    }
}
