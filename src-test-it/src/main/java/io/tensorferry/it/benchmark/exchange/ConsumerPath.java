package io.tensorferry.it.benchmark.exchange;

import io.tensorferry.it.benchmark.Transfer;
import io.tensorferry.it.benchmark.TransferPath;

/// Makes a consumer in this process a measurable path. For one thread.
public final class ConsumerPath implements TransferPath {
    private static final int PACED_SLOTS = 64;
    private static final long PACED_BYTES = 256L << 20;

    private final String name;
    private final TensorConsumer consumer;

    /// @param consumer closed by this object
    public ConsumerPath(String name, TensorConsumer consumer) {
        this.name = name;
        this.consumer = consumer;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String device() {
        return consumer.device();
    }

    @Override
    public int window(long bytes) {
        return Window.of(bytes);
    }

    @Override
    public Transfer throughput(long bytes, int count) throws InterruptedException {
        return receive(bytes, count, window(bytes), false);
    }

    @Override
    public Transfer latency(long bytes, int count) throws InterruptedException {
        return receive(bytes, count, 1, false);
    }

    /// Measures the throughput with `window` outstanding requests; the producer has all tensors ready in advance.
    public Transfer outstanding(long bytes, int count, int window) throws InterruptedException {
        return receive(bytes, count, window, false);
    }

    @Override
    public Transfer paced(long bytes, int count, double perSecond) throws InterruptedException {
        int slots = Math.clamp(PACED_BYTES / Math.max(1, bytes), window(bytes), PACED_SLOTS);
        consumer.begin(bytes, count, slots);
        Transfer transfer = new AskingRun(consumer, bytes, count, false).paced(slots, perSecond);
        consumer.end();
        return transfer;
    }

    @Override
    public void verify(long bytes) throws InterruptedException {
        int window = window(bytes);
        var _ = receive(bytes, 2 * window, window, true);
    }

    private Transfer receive(long bytes, int count, int window, boolean checked) throws InterruptedException {
        // As many slots as for the throughput, so that one set-up per length serves all measurements.
        consumer.begin(bytes, count, window(bytes));
        Transfer transfer = new AskingRun(consumer, bytes, count, checked).closed(window);
        consumer.end();
        return transfer;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
