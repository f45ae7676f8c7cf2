package io.tensorferry.it.benchmark;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import java.util.List;
import java.util.concurrent.CompletionException;

/// The other end of [RendezvousPath]: serves orders until the server stops. Its thread is its own.
final class RendezvousProducer implements AutoCloseable {
    private final TransportServer server;

    private RendezvousProducer(TransportServer server) {
        this.server = server;
    }

    static RendezvousProducer start(String protocol, List<Integer> ports) {
        var producer = new RendezvousProducer(RendezvousPath.startServer(protocol, ports, RendezvousPath.PRODUCER));
        Thread.ofPlatform().daemon().name("producer over " + protocol).start(producer::serve);
        return producer;
    }

    private void serve() {
        Tensor source = tensor(0);
        try {
            for (long step = 0; ; step++) {
                Rendezvous rendezvous = server.rendezvous(step);
                long[] order;
                try (Tensor received =
                        rendezvous.recvAsync(RendezvousPath.ORDER).join().tensorOrThrow()) {
                    order = received.toLongArray();
                }
                // With the next order there, nothing of the last one is on its way.
                server.closeStep(step - 1);
                if (source.byteSize() != order[0]) {
                    source.close();
                    source = tensor(order[0]);
                }
                for (long i = 0; i < order[1]; i++) {
                    rendezvous.send(RendezvousPath.TENSOR, source.share());
                }
                rendezvous.send(RendezvousPath.READY, tensor(0));
            }
        } catch (CompletionException | TransportException _) {
            // The consumer or the server has stopped.
        } finally {
            source.close();
        }
    }

    private Tensor tensor(long bytes) {
        Tensor tensor = server.allocator().allocate(DataType.UINT8, Shape.of(bytes));
        // Touches every page, so that no transfer does it.
        tensor.segment().fill((byte) 42);
        return tensor;
    }

    @Override
    public void close() {
        server.close();
    }
}
