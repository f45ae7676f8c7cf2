package io.tensorferry.it.benchmark.growth;

import io.tensorferry.it.benchmark.contest.RendezvousPair;
import io.tensorferry.it.benchmark.contest.Usage;
import io.tensorferry.it.benchmark.rendezvous.Order;
import java.util.List;

/// The heap usage of a receive whose request waits at the producer, measured at the consumer or at the producer.
final class ReceiveMemory implements GrowthSeries {
    private static final int BYTES = 64;

    private final RendezvousPair pair;
    private final long receives;
    private final boolean atProducer;

    /// @param pair remains owned by the caller
    ReceiveMemory(RendezvousPair pair, long receives, boolean atProducer) {
        this.pair = pair;
        this.receives = receives;
        this.atProducer = atProducer;
    }

    @Override
    public String name() {
        return atProducer ? "receive-heap-producer" : "receive-heap-consumer";
    }

    @Override
    public String what() {
        return "receives outstanding";
    }

    @Override
    public String cost() {
        return "bytes of heap for each, " + (atProducer ? "at the producer" : "at the consumer");
    }

    @Override
    public List<Long> points() {
        return List.of(receives);
    }

    @Override
    public double measure(long point) throws InterruptedException {
        var order = new Order(BYTES, (int) point, 1, true);
        pair.consumer().begin(order);
        long before = heap();
        var gathering = new Gathering(order.count());
        for (int i = 0; i < order.count(); i++) {
            pair.consumer().ask(i, gathering);
        }
        pair.consumer().awaitProducer();
        long taken = heap() - before;
        pair.consumer().release();
        gathering.await();
        pair.consumer().end();
        return (double) taken / point;
    }

    private long heap() throws InterruptedException {
        Usage usage = atProducer ? pair.producerUsage() : Usage.now();
        return usage.heapBytes();
    }
}
