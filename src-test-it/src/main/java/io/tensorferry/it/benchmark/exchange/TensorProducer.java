package io.tensorferry.it.benchmark.exchange;

/// The producer's end of one path, which provides tensors. It is reachable by the consumer once opened.
///
/// Threading: one thread calls; internal threads serve the consumer.
public interface TensorProducer extends AutoCloseable {
    /// Prepares a tensor of this length, filled by [Content], and serves it from now on. A producer that spins does so
    /// only between this call and [#rest], so that it takes no processor from other paths.
    void serve(long bytes) throws InterruptedException;

    /// Called when no request will arrive until the next [#serve].
    void rest() throws InterruptedException;

    @Override
    void close();
}
