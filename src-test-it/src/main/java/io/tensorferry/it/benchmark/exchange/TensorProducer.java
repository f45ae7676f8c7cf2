package io.tensorferry.it.benchmark.exchange;

/// The process that tensors come from, on one path. Opened with all it needs to be found by the consumer.
///
/// Threading: one thread calls; what serves the consumer has threads of its own.
public interface TensorProducer extends AutoCloseable {
    /// Has a tensor of this length ready, filled by [Content], and serves from here on: an end that waits for the
    /// consumer by spinning does it between this and [#rest] only, so that it takes no processor from other paths.
    void serve(long bytes) throws InterruptedException;

    /// Nothing is asked for until the next [#serve].
    void rest() throws InterruptedException;

    @Override
    void close();
}
