package io.tensorferry.it.benchmark;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.ClusterSpec;
import io.tensorferry.grpc.ServerConfig;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.device.RdmaConfig;
import io.tensorferry.verbs.device.RemoteKeyScope;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// Tensors by `recvAsync`, over one of the server's protocols.
///
/// Each transfer is a step: the consumer sends an order (size and count) to the producer, which puts the tensors
/// under one key, all on the same memory, and then says that it is ready.
public final class RendezvousPath implements TransferPath {
    static final DeviceName PRODUCER = new DeviceName("producer", 0, 0, "CPU", 0);
    static final DeviceName CONSUMER = new DeviceName("consumer", 0, 0, "CPU", 0);
    static final RendezvousKey ORDER = RendezvousKey.of(CONSUMER, PRODUCER, "order");
    static final RendezvousKey READY = RendezvousKey.of(PRODUCER, CONSUMER, "ready");
    static final RendezvousKey TENSOR = RendezvousKey.of(PRODUCER, CONSUMER, "tensor");

    private static final long LARGEST_WINDOW = 32;
    private static final long SMALLEST_WINDOW = 4;
    private static final long WINDOW_BYTES = 64L << 20;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final String name;
    private final TransportServer server;
    private long step;

    private RendezvousPath(String name, TransportServer server) {
        this.name = name;
        this.server = server;
    }

    /// @param ports of the producer and of the consumer
    public static RendezvousPath open(String name, List<Integer> ports) throws InterruptedException {
        TransportServer server = startServer(name, ports, CONSUMER);
        server.awaitPeers(LIMIT);
        return new RendezvousPath(name, server);
    }

    static TransportServer startServer(String name, List<Integer> ports, DeviceName self) {
        boolean windows = name.equals(TransferPaths.WINDOWS);
        RdmaConfig config = RdmaConfig.fromEnvironment();
        var cluster = ClusterSpec.of(Map.of(
                PRODUCER.job(),
                List.of("localhost:" + ports.get(0)),
                CONSUMER.job(),
                List.of("localhost:" + ports.get(1))));
        return TransportServer.builder()
                .cluster(cluster)
                .job(self.job())
                .task(self.task())
                .protocol(windows ? ServerConfig.GRPC_VERBS : name)
                .rdmaConfig(windows ? config.withRkeyScope(RemoteKeyScope.REQUEST) : config)
                .start();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String device() {
        return server.transportDevice();
    }

    @Override
    public int window(long bytes) {
        return windowOf(bytes);
    }

    /// [#window], for who has no path.
    public static int windowOf(long bytes) {
        return (int) Math.clamp(WINDOW_BYTES / Math.max(1, bytes), SMALLEST_WINDOW, LARGEST_WINDOW);
    }

    @Override
    public Transfer throughput(long bytes, int count) throws InterruptedException {
        return receive(bytes, count, window(bytes));
    }

    @Override
    public Transfer latency(long bytes, int count) throws InterruptedException {
        return receive(bytes, count, 1);
    }

    /// Receives tensors, at most `window` of them asked for at a time. The producer has all of them ready before the
    /// clock starts.
    private Transfer receive(long tensorBytes, int count, int window) throws InterruptedException {
        Rendezvous rendezvous = server.rendezvous(step);
        Tensor order = server.allocator().allocate(DataType.INT64, Shape.of(2));
        order.segment().setAtIndex(ValueLayout.JAVA_LONG, 0, tensorBytes);
        order.segment().setAtIndex(ValueLayout.JAVA_LONG, 1, count);
        rendezvous.send(ORDER, order);
        RecvResult ready = rendezvous.recv(READY, LIMIT);
        ready.tensorOrThrow().close();
        Transfer transfer = new ReceiveRun(rendezvous, TENSOR, tensorBytes, count).run(window);
        server.closeStep(step);
        step++;
        return transfer;
    }

    @Override
    public void close() {
        server.close();
    }
}
