package io.tensorferry.it.benchmark.gpu;

import io.tensorferry.it.benchmark.exchange.TensorProducer;

/// Does nothing: [CopiesConsumer] implements both ends.
public final class CopiesProducer implements TensorProducer {
    @Override
    public void serve(long bytes) {}

    @Override
    public void rest() {}

    @Override
    public void close() {}
}
