package io.tensorferry.it.benchmark.inprocess;

import io.tensorferry.it.benchmark.exchange.ConsumerPath;
import io.tensorferry.it.benchmark.rendezvous.Knobs;
import io.tensorferry.it.benchmark.rendezvous.RendezvousConsumer;
import io.tensorferry.it.benchmark.rendezvous.RendezvousProducer;
import io.tensorferry.it.benchmark.rendezvous.Variant;
import io.tensorferry.it.process.FreePorts;
import java.util.List;

/// A producer and a consumer over `grpc+verbs` in this process. For one thread.
public final class BothEnds implements AutoCloseable {
    private static final int PORTS = 2;

    private final RendezvousProducer producer;
    private final ConsumerPath consumer;

    private BothEnds(RendezvousProducer producer, ConsumerPath consumer) {
        this.producer = producer;
        this.consumer = consumer;
    }

    public static BothEnds open() throws InterruptedException {
        List<Integer> ports = FreePorts.pick(PORTS);
        RendezvousProducer producer = RendezvousProducer.open(Variant.VERBS, Knobs.NONE, ports);
        try {
            var consumer = RendezvousConsumer.open(Variant.VERBS, Knobs.NONE, ports);
            return new BothEnds(producer, new ConsumerPath(Variant.VERBS.path(), consumer));
        } catch (RuntimeException | InterruptedException e) {
            producer.close();
            throw e;
        }
    }

    /// Receives `count` tensors under one name by callbacks, `window` at a time. The call includes a step with its
    /// order and the producer's answer, whose share is small if `count` is large.
    public void receive(long bytes, int count, int window) throws InterruptedException {
        var _ = consumer.outstanding(bytes, count, window);
    }

    @Override
    public void close() {
        consumer.close();
        producer.close();
    }
}
