package io.tensorferry.api;

import java.util.concurrent.CompletableFuture;

/// The producer's end of a [StaticEdge].
///
/// It goes on over another channel when one is lost, as long as the consumer's process is the same: nothing is lost,
/// and nothing comes twice. It fails when the consumer's process is gone or the consumer ends the edge.
///
/// Threading: any thread; tensors of several threads come in the order in which [#send] took them.
public interface StaticSender extends AutoCloseable {
    /// Completes when the consumer's end is open and agrees; before that tensors wait. Fails with a
    /// [TransportException] when the edge ends first. Completes on a thread of the transport that others wait for.
    CompletableFuture<Void> opened();

    /// Has the tensor written into the consumer's memory, as soon as there is a place. Never waits, unless the
    /// memory is not the transport's and there is no memory for a copy at the moment.
    ///
    /// Ownership: takes the handle, even where it throws. The content must not be changed until the consumer has it.
    ///
    /// @throws IllegalArgumentException if the tensor is not of the edge's type and shape
    /// @throws IllegalStateException if this end is closed
    /// @throws TransportException why the edge has failed; `RESOURCE_EXHAUSTED` if 1,024 tensors wait for a place
    void send(Tensor tensor);

    /// Ends the edge now: tensors that wait are dropped, and the consumer's end fails with `cause`, behind what was
    /// written before. Does nothing if the edge has ended. A consumer that has not met this end yet goes on to wait for
    /// one.
    void startAbort(TransportException cause);

    /// No more is sent: the edge ends when all tensors that were sent are written, or cannot be. Returns at once. The
    /// second and later calls do nothing.
    @Override
    void close();

    /// Completes when the edge has ended and all tensors that were sent are closed.
    CompletableFuture<Void> ended();
}
