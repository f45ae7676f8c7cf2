package io.tensorferry.grpc;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/// Two workers and a tensor between them over each protocol, for class loaders of tests: called as a
/// `Callable`, which returns the number in the tensor.
public final class ShadedApplication implements Callable<Integer> {
    private static final int NUMBER = 21;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Override
    public Integer call() throws InterruptedException {
        return ferry(ServerConfig.GRPC) + ferry(ServerConfig.GRPC_VERBS);
    }

    private static int ferry(String protocol) throws InterruptedException {
        var cluster = ClusterSpec.of(Map.of("worker", FreePorts.addresses(2)));
        try (TransportServer producer = start(cluster, 0, protocol);
                TransportServer consumer = start(cluster, 1, protocol)) {
            var key = RendezvousKey.of(producer.deviceName(0), consumer.deviceName(0), "x");
            Tensor sent = producer.allocator().allocate(DataType.INT32, Shape.scalar());
            sent.asByteBuffer().putInt(0, NUMBER);
            producer.rendezvous(1).send(key, sent);
            try (Tensor received = consumer.rendezvous(1).recv(key, PATIENCE).tensorOrThrow()) {
                return received.toIntArray()[0];
            }
        }
    }

    private static TransportServer start(ClusterSpec cluster, int task, String protocol) {
        return TransportServer.builder()
                .cluster(cluster)
                .job("worker")
                .task(task)
                .protocol(protocol)
                .verbsProviders(List.of(new io.tensorferry.verbs.device.software.SoftwareProvider()))
                .connectTimeout(Duration.ofSeconds(5))
                .start();
    }
}
