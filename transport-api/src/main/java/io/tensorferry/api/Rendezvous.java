package io.tensorferry.api;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/// Where the producers and consumers of one training step meet: a producer puts a tensor under a key, a consumer
/// asks for the key, in any order.
///
/// Each key is a queue: sends with the same key are received in the order sent, one per receive. It is the receive
/// that moves a tensor between workers; a send only makes it available on the producer's worker.
///
/// Threading: every method may be called from any thread.
public interface Rendezvous {
    /// The step that this rendezvous belongs to.
    long stepId();

    /// Makes `tensor` available to the consumer of `key`; never blocks on the consumer or the network.
    ///
    /// Ownership: takes the handle over inside the call. Afterwards `tensor` counts as closed, its `close()` does
    /// nothing, and it cannot be sent again; use [Tensor#share()] before to go on reading the tensor. If this throws,
    /// the caller still owns the handle and closes it. The content must not be changed after the call.
    ///
    /// @throws IllegalStateException if the handle is closed or was sent before
    /// @throws IllegalArgumentException if `key` names a producer on another worker, or a consumer that is not in the
    ///     cluster
    /// @throws TransportException the status of [#startAbort], once the step is aborted, or `ABORTED` once it is
    ///     finished or closed; `RESOURCE_EXHAUSTED` if too many sends of the step wait for their receives
    void send(RendezvousKey key, Tensor tensor);

    /// Tells the consumer of `key` that there will be no tensor: a dead tensor takes its place in the queue.
    ///
    /// @throws IllegalArgumentException if `key` names a producer on another worker, or a consumer that is not in the
    ///     cluster
    /// @throws TransportException the status of [#startAbort], once the step is aborted, or `ABORTED` once it is
    ///     finished or closed
    void sendDead(RendezvousKey key);

    /// Asks the worker that owns `key` for its tensor; returns at once.
    ///
    /// The tensor lands row-major in memory from this rendezvous' allocator; where producer and consumer are on the
    /// same worker it is the producer's own memory. `done` runs exactly once on the callback executor and owns the
    /// tensor it is given. Failures reach `done`: the status of [#startAbort], `ABORTED` (the step, or the server, is
    /// closed here or at the producer, or the producer has finished the step without this tensor), `CANCELLED`,
    /// `UNAVAILABLE` (the peer is gone; retryable in a new step), `DATA_LOSS` (the content does not
    /// match its checksum), `RESOURCE_EXHAUSTED` (no memory for the result), `INVALID_ARGUMENT` (the producer's
    /// worker refused the key).
    ///
    /// @return the means to cancel this receive
    /// @throws IllegalArgumentException if `key` names a consumer on another worker, or a producer that is not in
    ///     the cluster
    PendingReceive recvAsync(RendezvousKey key, DoneCallback done);

    /// The same, with a deadline: a receive that has not ended when `timeout` has passed ends with
    /// `DEADLINE_EXCEEDED`, and then it is as if it had been cancelled: the producer's tensor stays where it is,
    /// unless it was matched with this receive already, and memory that the peer may still write stays out of the
    /// pool.
    ///
    /// A timeout of 0 or less passes at once. No thread waits for it.
    ///
    /// @return the means to cancel this receive
    /// @throws IllegalArgumentException if `key` names a consumer on another worker, or a producer that is not in
    ///     the cluster
    PendingReceive recvAsync(RendezvousKey key, Duration timeout, DoneCallback done);

    /// The same, with what `options` say of the deadline, of the memory of the result, and of when it counts as there.
    ///
    /// A result may be on an accelerator that the transport was given, by the allocator of `options` or, where they
    /// have none, by the name of the destination in `key`. It fails with `INTERNAL` and what the driver says where the
    /// accelerator has failed. A tensor of the same worker that is on another device is copied.
    ///
    /// @return the means to cancel this receive
    /// @throws IllegalArgumentException as above, and if the transport has accelerators, but not the one that the
    ///     allocator or `key` names
    /// @throws UnsupportedOperationException if this rendezvous puts no result into such memory as `options` name
    default PendingReceive recvAsync(RendezvousKey key, ReceiveOptions options, DoneCallback done) {
        if (options.allocator() != null) {
            throw new UnsupportedOperationException("this rendezvous puts results into memory of its own only");
        }
        Duration timeout = options.timeout();
        return timeout == null ? recvAsync(key, done) : recvAsync(key, timeout, done);
    }

    /// Ends the step with a failure: every receive that waits ends with this status, queued sends are dropped, and
    /// every later send or receive fails with it.
    ///
    /// Receives of other workers that wait for a tensor of this one end with it as well. Only the first call
    /// counts.
    ///
    /// @throws IllegalArgumentException if `code` is [StatusCode#OK]
    void startAbort(StatusCode code, String message);

    /// The same as a future. It completes with `Received` or `Dead`, or exceptionally with a [TransportException].
    /// Cancelling the future cancels the receive.
    ///
    /// Dependent stages run on the callback executor. Whoever waits for it on a thread of the transport, such as that
    /// of
    /// a callback on the loop, gets an [IllegalStateException]; so it is for every future of the transport.
    default CompletableFuture<RecvResult> recvAsync(RendezvousKey key) {
        return future(done -> recvAsync(key, done));
    }

    /// The same as a future, with a deadline, after which it fails with `DEADLINE_EXCEEDED`.
    default CompletableFuture<RecvResult> recvAsync(RendezvousKey key, Duration timeout) {
        return future(done -> recvAsync(key, timeout, done));
    }

    /// The same as a future, with what `options` say.
    default CompletableFuture<RecvResult> recvAsync(RendezvousKey key, ReceiveOptions options) {
        return future(done -> recvAsync(key, options, done));
    }

    private static CompletableFuture<RecvResult> future(Function<DoneCallback, PendingReceive> start) {
        CompletableFuture<RecvResult> future = new TransportFuture<>();
        PendingReceive receive = start.apply(result -> {
            if (result instanceof RecvResult.Failed(TransportException cause)) {
                future.completeExceptionally(cause);
            } else if (!future.complete(result) && result instanceof RecvResult.Received(Tensor tensor)) {
                // The caller cancelled the future while the tensor was on its way; nobody else will close it.
                tensor.close();
            }
        });
        var _ = future.whenComplete((result, failure) -> {
            if (future.isCancelled()) {
                receive.cancel();
            }
        });
        return future;
    }

    /// Receives and waits, at most `timeout`. The caller owns the tensor in the result.
    ///
    /// @return `Received` or `Dead`
    /// @throws TransportException what ended the receive; `DEADLINE_EXCEEDED` after `timeout`
    /// @throws InterruptedException if the calling thread was interrupted; the receive is cancelled
    /// @throws IllegalStateException on a thread of the transport, such as that of a callback on the loop
    default RecvResult recv(RendezvousKey key, Duration timeout) throws InterruptedException {
        TransportThread.refuseToWait("recv", "call recvAsync");
        CompletableFuture<RecvResult> future = recvAsync(key);
        try {
            // Not toNanos(), which refuses what 292 years do not hold.
            return future.get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failureOf(key, e);
        } catch (TimeoutException e) {
            if (future.cancel(false)) {
                throw new TransportException(
                        StatusCode.DEADLINE_EXCEEDED, "no tensor for " + key + " within " + timeout, e);
            }
            // It ended between the timeout and the cancellation.
            try {
                return future.join();
            } catch (CompletionException failure) {
                throw failureOf(key, failure);
            }
        } catch (InterruptedException e) {
            if (!future.cancel(false)) {
                var _ = future.thenAccept(Rendezvous::discard);
            }
            throw e;
        }
    }

    private static TransportException failureOf(RendezvousKey key, Exception failure) {
        return failure.getCause() instanceof TransportException cause
                ? cause
                : new TransportException(StatusCode.INTERNAL, "the receive of " + key + " failed", failure.getCause());
    }

    private static void discard(RecvResult result) {
        if (result instanceof RecvResult.Received(Tensor tensor)) {
            tensor.close();
        }
    }
}
