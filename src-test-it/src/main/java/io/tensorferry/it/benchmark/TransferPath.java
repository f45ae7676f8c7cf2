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

    /// Moves `count` times `bytes` bytes, asked for at a fixed rate whether or not the earlier ones have come, and
    /// takes the time of each from when it was due: latency without coordinated omission.
    ///
    /// @throws IllegalStateException if one cannot be moved or has another size
    /// @throws UnsupportedOperationException if this path has no such mode
    default Transfer paced(long bytes, int count, double perSecond) throws InterruptedException {
        throw new UnsupportedOperationException(name() + " has no fixed rate");
    }

    /// Moves some of `bytes` bytes and compares what has come with what was there; takes no time of a measurement.
    ///
    /// @throws IllegalStateException if a byte differs
    void verify(long bytes) throws InterruptedException;

    @Override
    void close();
}
