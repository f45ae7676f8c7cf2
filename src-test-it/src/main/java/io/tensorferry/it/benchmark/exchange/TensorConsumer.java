package io.tensorferry.it.benchmark.exchange;

/// The consumer's end of one path, which requests tensors.
///
/// A slot is memory for one tensor. Callers reuse a slot only after [Arrival#slotIsFree].
///
/// Threading: one thread calls `begin`, `progress`, `end` and `close`. That thread and the threads that report arrivals
/// call `ask`.
public interface TensorConsumer extends AutoCloseable {
    /// The device that carries the bytes, for example `soft0`.
    String device();

    /// Prepares `count` requests for a tensor of `bytes` bytes. Called after [TensorProducer#serve]; not timed.
    ///
    /// @param slots the maximum number of outstanding requests
    void begin(long bytes, int count, int slots) throws InterruptedException;

    /// Requests one tensor and returns at once.
    void ask(int slot, Arrival arrival);

    /// Whether arrivals are processed only in [#progress], which must then be called repeatedly.
    boolean isPolled();

    /// Polls once for arrivals and reports them.
    default void progress() {}

    /// Called when all requested tensors have arrived.
    default void end() throws InterruptedException {}

    @Override
    void close();
}
