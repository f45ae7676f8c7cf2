package io.tensorferry.api.edge;

import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import java.util.concurrent.CompletableFuture;

/// The consumer's end of a [StaticEdge] or a [DynamicEdge].
///
/// [#poll] reports a tensor only when it has arrived completely: arrival is established by the device's completion, not
/// by inspecting the content. Tensors are counted, so an earlier tensor is never mistaken for the next.
///
/// If a channel is lost, the edge resumes over another channel to the same producer process, without loss or
/// duplication. The edge fails if no channel can be established or the producer ends the edge. Tensors that had arrived
/// can still be taken.
///
/// Threading: [#take] from one thread at a time; all other methods from any thread.
public interface EdgeReceiver extends PollingReceive, AutoCloseable {
    /// Completes when the producer's end is open and has the same specification. Fails with a [TransportException] if
    /// the edge ends first. Dependent stages run on the callback executor.
    CompletableFuture<Void> opened();

    /// Whether the next tensor has arrived, or the edge has ended and [#take] throws the cause.
    @Override
    boolean poll();

    /// Takes the next tensor.
    ///
    /// @throws IllegalStateException if no tensor has arrived ([#poll] returns false), or this end is closed
    /// @throws TransportException the cause that ended the edge, once all tensors that had arrived are taken
    Tensor take();

    /// Registers an action that runs each time a tensor arrives, and when the edge ends. For schedulers that sleep.
    ///
    /// The action runs on the callback executor, possibly concurrently with itself. Its exceptions are logged. If a
    /// tensor has already arrived, the action runs soon.
    void onReady(Runnable action);

    /// Ends the edge at once and fails the producer's end with `cause`. Tensors that had arrived can still be taken. A
    /// producer that has not yet been matched with this end continues to wait for another.
    void startAbort(TransportException cause);

    /// Ends the edge; no further tensor can be taken. Returns at once. The second and later calls do nothing. A
    /// producer that has not yet been matched with this end continues to wait for another.
    @Override
    void close();

    /// Completes when the edge has ended and its memory is no longer read or written. It never completes if a device
    /// can neither stop nor destroy a queue pair.
    CompletableFuture<Void> ended();
}
