package io.tensorferry.it.benchmark;

/// A way of moving messages or tensors from one process to another, driven from the measuring process. For one thread.
public interface TransferPath extends AutoCloseable {
    /// The name on the command line and in the table.
    String name();

    /// The device that carries the bytes, for example `soft0`.
    String device();

    /// The number of messages of `bytes` bytes in flight when throughput is measured.
    int window(long bytes);

    /// Moves `count` messages of `bytes` bytes, [#window] of them at a time.
    ///
    /// @throws IllegalStateException if a message cannot be moved or has another size
    Transfer throughput(long bytes, int count) throws InterruptedException;

    /// Moves `count` messages of `bytes` bytes in sequence, and times each.
    ///
    /// @throws IllegalStateException if a message cannot be moved or has another size
    Transfer latency(long bytes, int count) throws InterruptedException;

    /// Moves `count` messages of `bytes` bytes, requested at a fixed rate regardless of earlier arrivals. Each latency
    /// starts at the scheduled time, which avoids coordinated omission.
    ///
    /// @throws IllegalStateException if a message cannot be moved or has another size
    /// @throws UnsupportedOperationException if this path has no such mode
    default Transfer paced(long bytes, int count, double perSecond) throws InterruptedException {
        throw new UnsupportedOperationException(name() + " has no fixed rate");
    }

    /// Moves some messages of `bytes` bytes and compares the received content with the original. Not timed.
    ///
    /// @throws IllegalStateException if a byte differs
    void verify(long bytes) throws InterruptedException;

    @Override
    void close();
}
