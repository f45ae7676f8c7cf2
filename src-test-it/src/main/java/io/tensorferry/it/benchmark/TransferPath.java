package io.tensorferry.it.benchmark;

/// One way for messages or tensors to go from one process to another, seen from who measures. For one thread.
public interface TransferPath extends AutoCloseable {
    /// As it is called on the command line and in the table.
    String name();

    /// What carries the bytes, as `soft0`.
    String device();

    /// How many of `bytes` each are under way at a time when throughput is measured.
    int window(long bytes);

    /// Moves `count` times `bytes` bytes, [#window] of them at a time.
    ///
    /// @throws IllegalStateException if one cannot be moved or has another size
    Transfer throughput(long bytes, int count) throws InterruptedException;

    /// Moves `count` times `bytes` bytes, one at a time, and takes the time of each.
    ///
    /// @throws IllegalStateException if one cannot be moved or has another size
    Transfer latency(long bytes, int count) throws InterruptedException;

    @Override
    void close();
}
