package io.tensorferry.it.benchmark;

/// One way for tensors to come from the producer process to this one, seen from this one. For one thread.
interface TransferPath extends AutoCloseable {
    /// As it is called on the command line and in the table.
    String name();

    /// What carries the bytes, as `soft0`.
    String device();

    /// Receives `count` tensors of `tensorBytes` each, at most `window` of them asked for at a time. The producer
    /// has all of them ready before the clock starts.
    ///
    /// @throws IllegalStateException if one cannot be received or has another size
    Transfer receive(long tensorBytes, int count, int window) throws InterruptedException;

    @Override
    void close();
}
