package io.tensorferry.it.benchmark.contest;

import io.tensorferry.it.benchmark.rendezvous.Knobs;
import io.tensorferry.it.benchmark.rendezvous.RendezvousConsumer;
import io.tensorferry.it.benchmark.rendezvous.Variant;
import io.tensorferry.it.process.ChildJvm;
import io.tensorferry.it.process.FreePorts;
import java.time.Duration;
import java.util.List;

/// A consumer in this process and a producer in another one, over `grpc+verbs`: for measurements of the consumer's
/// process. For one thread.
public final class RendezvousPair implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final ChildJvm producer;
    private final RendezvousConsumer consumer;

    private RendezvousPair(ChildJvm producer, RendezvousConsumer consumer) {
        this.producer = producer;
        this.consumer = consumer;
    }

    public static RendezvousPair start() throws InterruptedException {
        List<Integer> ports = FreePorts.pick(Contender.PORTS);
        ChildJvm producer = ChildJvm.of(ProducerProcess.class)
                .arguments(
                        Contender.VERBS.path(),
                        ports.get(0).toString(),
                        ports.get(1).toString())
                .start();
        try {
            producer.awaitLine(ProducerProcess.READY, LIMIT);
            return new RendezvousPair(producer, RendezvousConsumer.open(Variant.VERBS, Knobs.NONE, ports));
        } catch (RuntimeException | InterruptedException e) {
            producer.close();
            throw e;
        }
    }

    public RendezvousConsumer consumer() {
        return consumer;
    }

    /// The memory usage of the producer's process.
    public Usage producerUsage() throws InterruptedException {
        return Usage.parse(ask(ProducerProcess.USAGE));
    }

    /// The CPU time of the producer's process in nanoseconds.
    public long producerCpuNs() throws InterruptedException {
        return Long.parseLong(ask(ProducerProcess.CPU));
    }

    private String ask(String command) throws InterruptedException {
        producer.send(command);
        return producer.awaitLine(ProducerProcess.DONE, LIMIT).substring(ProducerProcess.DONE.length());
    }

    @Override
    public void close() {
        try (producer) {
            consumer.close();
            producer.send(ProducerProcess.STOP);
            producer.awaitSuccess(LIMIT);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
