package io.tensorferry.api.partition;

import java.util.concurrent.CompletableFuture;

/// A running or completed [PartitionedTensor#gather].
///
/// Threading: any thread.
public interface Gather {
    /// Completes when all rows have been written to the result, and not before.
    ///
    /// Fails with a [io.tensorferry.api.TransportException] that names the peer:
    ///
    /// - `UNAVAILABLE`: the peer cannot be reached;
    /// - `ABORTED`: the peer was restarted or has closed its part, or this worker closed the tensor;
    /// - `CANCELLED`: [#cancel()].
    ///
    /// After completion, successful or not, the transport neither writes the result nor reads the ids. The exception is
    /// a device that can neither stop nor destroy a queue pair: the result's memory is then never released.
    ///
    /// Dependent stages run on the callback executor.
    CompletableFuture<Void> done();

    /// Stops issuing reads; [#done()] fails once the outstanding reads have completed. Does nothing if the gather is
    /// done.
    void cancel();
}
