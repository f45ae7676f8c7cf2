package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.grpc.ServerConfig;
import io.tensorferry.it.benchmark.ProducerProcess;
import io.tensorferry.it.benchmark.RendezvousPath;
import io.tensorferry.it.benchmark.Transfer;
import io.tensorferry.it.benchmark.TransferPath;
import io.tensorferry.it.benchmark.TransferPaths;
import io.tensorferry.it.process.ChildJvm;
import io.tensorferry.it.process.FreePorts;
import java.time.Duration;
import java.util.List;

/// `recvAsync` over `grpc+verbs`, the producer at the source and the consumer at the target. For one thread.
final class TensorPath implements TransferPath {
    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    private final String name;
    private final ChildJvm producer;
    private final ChildJvm consumer;
    private final String device;

    private TensorPath(String name, ChildJvm producer, ChildJvm consumer) throws InterruptedException {
        this.name = name;
        this.producer = producer;
        this.consumer = consumer;
        producer.awaitLine(ProducerProcess.READY, START_LIMIT);
        this.device = consumer.awaitLine(TensorProcess.READY, START_LIMIT).substring(TensorProcess.READY.length());
    }

    static TensorPath start(String name, Places places) throws InterruptedException {
        List<Integer> ports = FreePorts.pick(TransferPaths.PORTS);
        String producerPort = ports.get(0).toString();
        String consumerPort = ports.get(1).toString();
        ChildJvm producer = places.atSource(ProducerProcess.class)
                .name("producer")
                .arguments(String.join(":", ServerConfig.GRPC_VERBS, producerPort, consumerPort))
                .start();
        ChildJvm consumer = places.atTarget(TensorProcess.class)
                .name("consumer")
                .arguments(producerPort, consumerPort)
                .start();
        try {
            return new TensorPath(name, producer, consumer);
        } catch (RuntimeException | InterruptedException e) {
            producer.close();
            consumer.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String device() {
        return device;
    }

    @Override
    public int window(long bytes) {
        return RendezvousPath.windowOf(bytes);
    }

    @Override
    public Transfer throughput(long bytes, int count) throws InterruptedException {
        return ask(TensorProcess.Task.THROUGHPUT, bytes, count);
    }

    @Override
    public Transfer latency(long bytes, int count) throws InterruptedException {
        return ask(TensorProcess.Task.LATENCY, bytes, count);
    }

    private Transfer ask(TensorProcess.Task task, long bytes, int count) throws InterruptedException {
        consumer.send(task + " " + bytes + " " + count);
        return Transfer.parse(consumer.awaitLine(TensorProcess.DONE, LIMIT).substring(TensorProcess.DONE.length()));
    }

    @Override
    public void close() {
        try (producer;
                consumer) {
            consumer.send(TensorProcess.STOP);
            consumer.awaitSuccess(STOP_LIMIT);
            producer.send(ProducerProcess.STOP);
            producer.awaitSuccess(STOP_LIMIT);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
