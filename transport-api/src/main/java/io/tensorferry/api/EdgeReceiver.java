package io.tensorferry.api;

import java.util.concurrent.CompletableFuture;

/// The consumer's end of an edge: of a [StaticEdge] or a [DynamicEdge].
///
/// What [#poll] says is there has arrived as a whole: it is told by the completion of the device, not by looking at the
/// content, and each tensor counts, so that an earlier one is never mistaken for the next.
///
/// It goes on over another channel when one is lost, as long as the producer's process is the same: nothing is
/// lost, and nothing comes twice. It fails when no channel can be had or the producer ends the edge; what had
/// arrived can still be taken.
///
/// Threading: [#poll] from any thread, [#take] from one at a time; everything else from any.
public interface EdgeReceiver extends PollingReceive, AutoCloseable {
    /// Completes when the producer's end is open and agrees. Fails with a [TransportException] when the edge ends
    /// first. Dependent stages run on the callback executor.
    CompletableFuture<Void> opened();

    /// Whether the next tensor is there, or the edge has ended and [#take] says why.
    @Override
    boolean poll();

    /// The next tensor.
    ///
    /// @throws IllegalStateException if [#poll] says that there is none, or this end is closed
    /// @throws TransportException why the edge has ended, when all that had arrived is taken
    Tensor take();

    /// Has `action` run each time a tensor has arrived, and when the edge ends: for schedulers that sleep. It runs
    /// where
    /// callbacks run, perhaps several times at once, and what it throws is logged. Where there is something already, it
    /// runs soon.
    void onReady(Runnable action);

    /// Ends the edge now, and fails the producer's end with `cause`. What had arrived can still be taken. A producer
    /// that
    /// has not met this end yet goes on to wait for another.
    void startAbort(TransportException cause);

    /// Ends the edge; nothing can be taken any more. Returns at once. The second and later calls do nothing. A producer
    /// that has not met this end yet goes on to wait for another.
    @Override
    void close();

    /// Completes when the edge has ended and nothing reads or writes its memory any more. It never does where a device
    /// neither stops nor destroys a queue pair.
    CompletableFuture<Void> ended();
}
