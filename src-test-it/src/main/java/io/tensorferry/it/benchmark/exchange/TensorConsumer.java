package io.tensorferry.it.benchmark.exchange;

/// The process that asks for tensors, on one path.
///
/// A slot is a place for one tensor. Whoever asks names the slot and asks again for it only after
/// [Arrival#slotIsFree].
///
/// Threading: `begin`, `progress`, `end` and `close` by one thread; `ask` by it and by the threads that arrivals are
/// told on.
public interface TensorConsumer extends AutoCloseable {
    /// What carries the bytes, as `soft0`.
    String device();

    /// Gets ready to ask `count` times for a tensor of `bytes` bytes, after [TensorProducer#serve]. Takes no time that
    /// is measured.
    ///
    /// @param slots how many may be asked for at a time
    void begin(long bytes, int count, int slots) throws InterruptedException;

    /// Asks for one tensor and returns at once.
    void ask(int slot, Arrival arrival);

    /// Whether nothing arrives unless [#progress] is called over and over.
    boolean isPolled();

    /// Looks once for what has arrived, and tells it.
    default void progress() {}

    /// Everything that was asked for has arrived.
    default void end() throws InterruptedException {}

    @Override
    void close();
}
