package io.tensorferry.api;

import java.util.concurrent.CompletableFuture;

/// The producer's end of an edge: of a [StaticEdge] or a [DynamicEdge].
///
/// It goes on over another channel when one is lost, as long as the consumer's process is the same: nothing is lost,
/// and nothing comes twice. It fails when the consumer's process is gone or the consumer ends the edge.
///
/// Threading: any thread; tensors of several threads come in the order in which [#send] took them.
public interface EdgeSender extends AutoCloseable {
    /// Completes when the consumer's end is open and agrees; before that tensors wait. Fails with a
    /// [TransportException] when the edge ends first. Dependent stages run on the callback executor.
    CompletableFuture<Void> opened();

    /// Brings the tensor to the consumer, as soon as there is a place or a slot for it. Never waits, unless the memory
    /// is none that the edge can use and there is no memory for a copy at the moment.
    ///
    /// Ownership: takes the handle over inside the call. Afterwards `tensor` counts as closed, its `close()` does
    /// nothing, and it cannot be sent again. If this throws, the caller still owns the handle and closes it. The
    /// content
    /// must not be changed until the consumer has it.
    ///
    /// @throws IllegalArgumentException if the tensor is none that the edge carries
    /// @throws IllegalStateException if the handle is closed or was sent before, or this end is closed
    /// @throws TransportException why the edge has failed; `RESOURCE_EXHAUSTED` if 1,024 tensors wait
    void send(Tensor tensor);

    /// Ends the edge now: tensors that wait are dropped, and the consumer's end fails with `cause`, behind those that
    /// were under way. Does nothing if the edge has ended. A consumer that has not met this end yet goes on to wait for
    /// one.
    void startAbort(TransportException cause);

    /// No more is sent: the edge ends when all tensors that were sent are with the consumer, or cannot be; where some
    /// wait for a consumer that has not come, not before it comes or [#startAbort] drops them. Returns at once. The
    /// second and later calls do nothing.
    @Override
    void close();

    /// Completes when the edge has ended and all tensors that were sent are closed.
    CompletableFuture<Void> ended();
}
