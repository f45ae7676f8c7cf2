package io.tensorferry.api.edge;

import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import java.util.concurrent.CompletableFuture;

/// The producer's end of a [StaticEdge] or a [DynamicEdge].
///
/// If a channel is lost, the edge resumes over another channel to the same consumer process, without loss or
/// duplication. The edge fails if the consumer's process is gone or the consumer ends the edge.
///
/// Threading: any thread. Tensors from several threads arrive in the order in which [#send] accepted them.
public interface EdgeSender extends AutoCloseable {
    /// Completes when the consumer's end is open and has the same specification; tensors wait until then. Fails with a
    /// [TransportException] if the edge ends first. Dependent stages run on the callback executor.
    CompletableFuture<Void> opened();

    /// Queues a tensor, which is transferred to the consumer as soon as the edge has a free place or slot.
    ///
    /// Does not wait, unless the edge cannot use the tensor's memory directly and no memory for a copy is available at
    /// the moment.
    ///
    /// Ownership: the call takes over the handle. Afterwards `tensor` counts as closed, its `close()` does nothing, and
    /// it cannot be sent again. If this method throws, the caller still owns the handle and must close it. The content
    /// must not change until the consumer has it.
    ///
    /// @throws IllegalArgumentException if the edge does not carry such a tensor
    /// @throws IllegalStateException if the handle is closed or was sent before, or this end is closed
    /// @throws TransportException the cause that ended the edge; `RESOURCE_EXHAUSTED` if 1,024 tensors wait, or there
    ///     is no memory for a copy
    void send(Tensor tensor);

    /// Ends the edge at once: drops tensors that wait, and fails the consumer's end with `cause` after the tensors that
    /// are in flight. Does nothing if the edge has ended. A consumer that has not yet been matched with this end
    /// continues to wait for another.
    void startAbort(TransportException cause);

    /// Closes this end for further tensors. Returns at once.
    ///
    /// The edge ends when every tensor sent has reached the consumer or can no longer reach it. If tensors wait for a
    /// consumer that has not opened its end, the edge ends only after the consumer has opened it or [#startAbort] drops
    /// them. The second and later calls do nothing.
    @Override
    void close();

    /// Completes when the edge has ended and all tensors that were sent are closed.
    CompletableFuture<Void> ended();
}
