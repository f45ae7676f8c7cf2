package io.tensorferry.it.measures;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.it.process.FreePorts;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jacoco.agent.rt.IAgent;
import org.jacoco.agent.rt.RT;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataReader;
import org.jspecify.annotations.Nullable;

/// A warm receive between two workers of this process, over `grpc+verbs` on the software device, seen by JaCoCo's
/// agent.
///
/// A round begins with the call of `send` at the producer, followed by the call of `recvAsync` at the consumer. It ends
/// after the callback has closed the result and the producer has released its tensor. The agent's data are reset before
/// the round and read after it. Only classes of every round count, so that an acknowledgement or a heartbeat, which
/// belongs to no single receive, does not.
///
/// Threading: one thread makes all calls.
final class WarmReceive implements AutoCloseable {
    private static final String PREFIX = "io/tensorferry/";
    private static final long STEP = 1;
    private static final long BYTES = 1 << 20;
    private static final int WARM_UP = 1_000;
    private static final int ROUNDS = 8;
    private static final long TIMEOUT_S = 60;
    // The producer reads the completion of its write within this time. No call reports it.
    private static final long SETTLE_MS = 50;

    private final IAgent agent = RT.getAgent();
    private final BlockingQueue<Boolean> received = new ArrayBlockingQueue<>(1);
    private final RendezvousKey key;
    private final TransportServer producer;
    private final TransportServer consumer;
    private final Rendezvous sends;
    private final Rendezvous receives;
    private final Tensor tensor;

    /// @throws IllegalStateException if the agent of JaCoCo is not attached to this JVM
    WarmReceive() {
        List<Integer> ports = FreePorts.pick(2);
        var cluster = ClusterSpec.of(Map.of(
                "producer", List.of("localhost:" + ports.get(0)), "consumer", List.of("localhost:" + ports.get(1))));
        producer = start(cluster, "producer");
        consumer = start(cluster, "consumer");
        key = RendezvousKey.of(producer.deviceName(0), consumer.deviceName(0), "tensor");
        // An application looks its step up once, not for each tensor.
        sends = producer.rendezvous(STEP);
        receives = consumer.rendezvous(STEP);
        tensor = producer.allocator().allocate(DataType.UINT8, Shape.of(BYTES));
    }

    private static TransportServer start(ClusterSpec cluster, String job) {
        return TransportServer.builder().cluster(cluster).job(job).task(0).start();
    }

    /// The names of the classes that every round executed, in the form of `Class.getName()`.
    SortedSet<String> classes() throws IOException, InterruptedException {
        for (int i = 0; i < WARM_UP; i++) {
            receive();
        }
        Thread.sleep(SETTLE_MS);
        SortedSet<String> common = null;
        for (int i = 0; i < ROUNDS; i++) {
            agent.reset();
            receive();
            Thread.sleep(SETTLE_MS);
            SortedSet<String> executed = executed(agent.getExecutionData(true));
            common = intersection(common, executed);
        }
        return common == null ? new TreeSet<>() : common;
    }

    private static SortedSet<String> intersection(@Nullable SortedSet<String> common, SortedSet<String> executed) {
        if (common == null) {
            return executed;
        }
        common.retainAll(executed);
        return common;
    }

    private void receive() throws InterruptedException {
        // In this order, so that the request always finds the tensor.
        sends.send(key, tensor.share());
        receives.recvAsync(key, this::take);
        Boolean arrived = received.poll(TIMEOUT_S, TimeUnit.SECONDS);
        if (arrived == null || !arrived) {
            throw new IllegalStateException("the receive failed");
        }
    }

    private void take(RecvResult result) {
        boolean arrived = result instanceof RecvResult.Received;
        if (arrived) {
            result.tensorOrThrow().close();
        }
        received.add(arrived);
    }

    private static SortedSet<String> executed(byte[] data) throws IOException {
        var names = new TreeSet<String>();
        var reader = new ExecutionDataReader(new ByteArrayInputStream(data));
        reader.setSessionInfoVisitor(_ -> {});
        reader.setExecutionDataVisitor(execution -> add(execution, names));
        var _ = reader.read();
        return names;
    }

    private static void add(ExecutionData execution, SortedSet<String> names) {
        if (execution.hasHits() && execution.getName().startsWith(PREFIX)) {
            names.add(execution.getName().replace('/', '.'));
        }
    }

    @Override
    public void close() {
        tensor.close();
        consumer.close();
        producer.close();
    }
}
