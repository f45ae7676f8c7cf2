package io.tensorferry.api;

import io.tensorferry.api.thread.TransportFuture;
import io.tensorferry.api.thread.TransportThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/// Exchanges tensors between the producers and consumers of one training step, matched by [RendezvousKey] in any order.
///
/// Each key is a FIFO queue: each receive takes the oldest unmatched send with the same key. A send only makes the
/// tensor available on the producer's worker. The receive moves it between workers.
///
/// Threading: every method may be called from any thread.
public interface Rendezvous {
    /// The identifier of the training step, equal on all workers that take part in it.
    long stepId();

    /// Makes `tensor` available to the consumer of `key`; never blocks on the consumer or the network.
    ///
    /// Ownership: the call takes over the handle. Afterwards `tensor` counts as closed, its `close()` does nothing, and
    /// it cannot be sent again. To keep reading the tensor, call [Tensor#share()] first. If this method throws, the
    /// caller still owns the handle and must close it. The content must not change after the call.
    ///
    /// @throws IllegalStateException if the handle is closed or was sent before
    /// @throws IllegalArgumentException if `key` names a producer on another worker, or a consumer that is not in the
    ///     cluster; or if the consumer is on another worker and the tensor is on, or waits for an event of, an
    ///     accelerator that was not given to this worker's transport
    /// @throws UnsupportedOperationException if the consumer is on another worker and the protocol cannot send tensors
    ///     of accelerators
    /// @throws TransportException the status of [#startAbort] once the step is aborted; `ABORTED` once the step is
    ///     finished or closed; `RESOURCE_EXHAUSTED` if no receive waits for `key` and the step already holds as many
    ///     unclaimed sends, or bytes of them, as the transport allows
    void send(RendezvousKey key, Tensor tensor);

    /// Sends a dead tensor to the consumer of `key`: it takes a tensor's place in the queue and has no content.
    ///
    /// @throws IllegalArgumentException if `key` names a producer on another worker, or a consumer that is not in the
    ///     cluster
    /// @throws TransportException the status of [#startAbort] once the step is aborted; `ABORTED` once the step is
    ///     finished or closed; `RESOURCE_EXHAUSTED` as for [#send]
    void sendDead(RendezvousKey key);

    /// Requests the tensor of `key` from the producer's worker; returns at once.
    ///
    /// The tensor lands row-major in memory from this rendezvous' allocator. If producer and consumer are on the same
    /// worker, the result is the producer's own memory. `done` runs exactly once on the callback executor and owns the
    /// tensor in its result.
    ///
    /// Failures reach `done`:
    ///
    /// - the status of [#startAbort];
    /// - `ABORTED`: the step or the server is closed here or at the producer, or the producer finished the step without
    ///   sending this tensor;
    /// - `CANCELLED`: [PendingReceive#cancel()];
    /// - `UNAVAILABLE`: the peer is gone; retryable in a new step;
    /// - `DATA_LOSS`: the content does not match its checksum;
    /// - `RESOURCE_EXHAUSTED`: no memory for the result;
    /// - `INVALID_ARGUMENT`: the producer's worker refused the key.
    ///
    /// @return a handle that cancels this receive
    /// @throws IllegalArgumentException if `key` names a consumer on another worker, or a producer that is not in the
    ///     cluster
    PendingReceive recvAsync(RendezvousKey key, DoneCallback done);

    /// Requests the tensor of `key` with a deadline.
    ///
    /// If the receive has not ended when `timeout` has passed, it ends with `DEADLINE_EXCEEDED` and is otherwise
    /// treated as cancelled: the producer keeps the tensor unless it was already matched with this receive, and memory
    /// that the peer may still write stays out of the pool. A timeout of 0 or less expires at once. No thread blocks on
    /// the timeout.
    ///
    /// @return a handle that cancels this receive
    /// @throws IllegalArgumentException if `key` names a consumer on another worker, or a producer that is not in the
    ///     cluster
    PendingReceive recvAsync(RendezvousKey key, Duration timeout, DoneCallback done);

    /// Requests the tensor of `key`; `options` set the deadline, the result's memory and the point at which the receive
    /// ends.
    ///
    /// The result may be on an accelerator that was given to the transport: the device of the allocator in `options`,
    /// or, without an allocator, the device that `key` names as the destination. If the accelerator has failed, the
    /// receive fails with `INTERNAL` and the driver's message. If producer and consumer are on the same worker, the
    /// tensor is copied only if it is on another device.
    ///
    /// @return a handle that cancels this receive
    /// @throws IllegalArgumentException if `key` names a consumer on another worker, or a producer that is not in the
    ///     cluster; or if the transport has accelerators, but not the device that the allocator or `key` names
    /// @throws UnsupportedOperationException if this rendezvous cannot place results in the memory of the allocator in
    ///     `options`
    default PendingReceive recvAsync(RendezvousKey key, ReceiveOptions options, DoneCallback done) {
        if (options.allocator() != null) {
            throw new UnsupportedOperationException("this rendezvous does not support an allocator for the result");
        }
        Duration timeout = options.timeout();
        return timeout == null ? recvAsync(key, done) : recvAsync(key, timeout, done);
    }

    /// Ends the step with a failure: every pending receive ends with this status, queued sends are dropped, and every
    /// later send or receive fails with it.
    ///
    /// Receives of other workers that wait for a tensor of this worker end with the same status. Only the first call
    /// has an effect.
    ///
    /// @throws IllegalArgumentException if `code` is [StatusCode#OK]
    void startAbort(StatusCode code, String message);

    /// Requests the tensor of `key` and returns a future.
    ///
    /// The future completes with `Received` or `Dead`, or exceptionally with a [TransportException]. Cancelling the
    /// future cancels the receive. Dependent stages run on the callback executor. Waiting for an incomplete future on a
    /// thread of the transport, such as the thread of a callback on the loop, throws [IllegalStateException]. This
    /// applies to every future of the transport.
    ///
    /// @throws IllegalArgumentException as [#recvAsync(RendezvousKey, DoneCallback)]
    default CompletableFuture<RecvResult> recvAsync(RendezvousKey key) {
        return future(done -> recvAsync(key, done));
    }

    /// Requests the tensor of `key` and returns a future that fails with `DEADLINE_EXCEEDED` after `timeout`.
    ///
    /// @throws IllegalArgumentException as [#recvAsync(RendezvousKey, Duration, DoneCallback)]
    default CompletableFuture<RecvResult> recvAsync(RendezvousKey key, Duration timeout) {
        return future(done -> recvAsync(key, timeout, done));
    }

    /// Requests the tensor of `key` with `options` and returns a future.
    ///
    /// @throws IllegalArgumentException as [#recvAsync(RendezvousKey, ReceiveOptions, DoneCallback)]
    /// @throws UnsupportedOperationException as [#recvAsync(RendezvousKey, ReceiveOptions, DoneCallback)]
    default CompletableFuture<RecvResult> recvAsync(RendezvousKey key, ReceiveOptions options) {
        return future(done -> recvAsync(key, options, done));
    }

    private static CompletableFuture<RecvResult> future(Function<DoneCallback, PendingReceive> start) {
        CompletableFuture<RecvResult> future = new TransportFuture<>();
        PendingReceive receive = start.apply(result -> {
            if (result instanceof RecvResult.Failed(TransportException cause)) {
                future.completeExceptionally(cause);
            } else if (!future.complete(result) && result instanceof RecvResult.Received(Tensor tensor)) {
                // The caller cancelled the future while the tensor was in flight, so nobody else closes the tensor.
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

    /// Receives the tensor of `key` and waits at most `timeout`. The caller owns the tensor in the result.
    ///
    /// @return `Received` or `Dead`
    /// @throws TransportException the failure that ended the receive, with the codes of [#recvAsync(RendezvousKey,
    ///     DoneCallback)]; `DEADLINE_EXCEEDED` after `timeout`
    /// @throws InterruptedException if the calling thread was interrupted; the receive is cancelled
    /// @throws IllegalArgumentException if `key` names a consumer on another worker, or a producer that is not in the
    ///     cluster
    /// @throws IllegalStateException on a thread of the transport, such as the thread of a callback on the loop
    default RecvResult recv(RendezvousKey key, Duration timeout) throws InterruptedException {
        TransportThread.refuseToWait("recv", "call recvAsync");
        CompletableFuture<RecvResult> future = recvAsync(key);
        try {
            // Duration#toNanos() throws for durations over 292 years; convert() saturates.
            return future.get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failureOf(key, e);
        } catch (TimeoutException e) {
            if (future.cancel(false)) {
                throw new TransportException(
                        StatusCode.DEADLINE_EXCEEDED, "no tensor for " + key + " within " + timeout, e);
            }
            // The receive ended between the timeout and the cancellation.
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
