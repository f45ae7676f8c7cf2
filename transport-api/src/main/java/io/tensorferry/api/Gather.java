package io.tensorferry.api;

import java.util.concurrent.CompletableFuture;

/// A gather that was begun, see [PartitionedTensor#gather].
///
/// Threading: any thread.
public interface Gather {
    /// Completes when all rows are in their places, and only then. Fails with a [TransportException] that names the
    /// peer: `UNAVAILABLE` if it cannot be reached, `ABORTED` if it was restarted, has ended its part, or this worker
    /// closed the tensor, `CANCELLED` after [#cancel()]. Either way nothing writes into the result any more, nor are
    /// the ids read, unless a device neither stopped nor destroyed a queue pair; then the result's memory is never
    /// given back.
    ///
    /// Dependent stages run on the callback executor.
    CompletableFuture<Void> done();

    /// Reads no more rows; [#done()] fails when those that are being read have come. Does nothing if it is done.
    void cancel();
}
