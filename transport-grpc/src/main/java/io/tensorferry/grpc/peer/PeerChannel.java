package io.tensorferry.grpc.peer;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.proto.PingResponse;
import io.tensorferry.proto.TensorServiceGrpc;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The gRPC channel to one worker, with bounded waits for a connection.
///
/// gRPC's own modes do not suit a cluster that starts in any order: a call either fails at the first refused connection
/// or waits forever. Calls are therefore made only after [#whenReady()] has completed, which waits for a bounded time
/// and retries more often than gRPC does.
///
/// Threading: any thread.
public final class PeerChannel {
    private static final int REDIAL_MILLIS = 100;
    private static final CompletableFuture<Void> READY = CompletableFuture.completedFuture(null);

    private final String worker;
    private final WorkerAddress address;
    private final PeerLookup lookup;
    private final ManagedChannel channel;
    private final ScheduledExecutorService timer;
    private final PeerTimeouts timeouts;
    private volatile boolean reached;
    // The status of the latest failed attempt.
    private volatile @Nullable Status latestFailure;
    // When a connection was first requested, by System.nanoTime. Guarded by this.
    private @Nullable Long firstWanted;
    // Shared by all waiters for the same connection. Guarded by this.
    private @Nullable CompletableFuture<Void> waiting;

    public PeerChannel(
            String worker,
            WorkerAddress address,
            PeerLookup lookup,
            ManagedChannel channel,
            ScheduledExecutorService timer,
            PeerTimeouts timeouts) {
        this.worker = worker;
        this.address = address;
        this.lookup = lookup;
        this.channel = channel;
        this.timer = timer;
        this.timeouts = timeouts;
    }

    public ManagedChannel grpc() {
        return channel;
    }

    String worker() {
        return worker;
    }

    WorkerAddress address() {
        return address;
    }

    /// Completes when the channel is connected, at once if it already is.
    ///
    /// Fails with `UNAVAILABLE` if there is no connection within the connect timeout, or within the reconnect timeout
    /// if the worker was reached before. Fails early with `UNAUTHENTICATED`, `PERMISSION_DENIED` or
    /// `FAILED_PRECONDITION` if the certificates or the TLS settings of the two workers do not match.
    public CompletableFuture<Void> whenReady() {
        if (channel.getState(false) == ConnectivityState.READY) {
            reached = true;
            return READY;
        }
        CompletableFuture<Void> started;
        synchronized (this) {
            if (waiting != null && !waiting.isDone()) {
                return waiting;
            }
            started = new CompletableFuture<>();
            waiting = started;
            if (firstWanted == null) {
                firstWanted = System.nanoTime();
            }
        }
        latestFailure = null;
        Duration limit = reached ? timeouts.reconnect() : timeouts.connect();
        Future<?> alarm = timer.schedule(() -> giveUp(started, limit), limit.toNanos(), TimeUnit.NANOSECONDS);
        var _ = started.whenComplete((_, _) -> alarm.cancel(false));
        watch(started);
        redial(started, null);
        return started;
    }

    /// As [#whenReady()], with a shorter wait, for a caller that has already waited for another transport to this
    /// worker: the reconnect timeout, or the rest of the connect timeout if that is longer and there was no connection
    /// yet.
    CompletableFuture<Void> whenReadySoon() {
        CompletableFuture<Void> ready = whenReady();
        if (ready.isDone()) {
            return ready;
        }
        Duration limit = soon();
        CompletableFuture<Void> sooner = ready.copy();
        Future<?> alarm = timer.schedule(() -> giveUp(sooner, limit), limit.toNanos(), TimeUnit.NANOSECONDS);
        var _ = sooner.whenComplete((_, _) -> alarm.cancel(false));
        return sooner;
    }

    private synchronized Duration soon() {
        Duration reconnect = timeouts.reconnect();
        if (reached || firstWanted == null) {
            return reconnect;
        }
        Duration left = timeouts.connect().minusNanos(System.nanoTime() - firstWanted);
        return left.compareTo(reconnect) > 0 ? left : reconnect;
    }

    private void giveUp(CompletableFuture<Void> future, Duration limit) {
        String unresolved = lookup.failure();
        Status failed = latestFailure;
        String why;
        if (unresolved != null) {
            why = unresolved + "; no connection to " + address + " within " + limit;
        } else {
            why = (reached ? "the worker has gone" : "the worker has not started") + ": no connection to " + address
                    + " within " + limit
                    + (failed == null ? "" : "; the latest attempt: " + ConnectFailure.described(failed));
        }
        future.completeExceptionally(new TransportException(StatusCode.UNAVAILABLE, why, worker, 0, null));
    }

    /// The reason why this worker cannot reach the other, from the attempts so far; null if none is known.
    @Nullable
    public String obstacle() {
        Status failed = latestFailure;
        if (reached && channel.getState(false) == ConnectivityState.READY) {
            return null;
        }
        String unresolved = lookup.failure();
        if (unresolved != null) {
            return unresolved;
        }
        return failed == null ? null : "no connection to " + address + ": " + ConnectFailure.described(failed);
    }

    private void watch(CompletableFuture<Void> future) {
        if (future.isDone()) {
            return;
        }
        ConnectivityState state = channel.getState(true);
        switch (state) {
            case READY -> {
                reached = true;
                latestFailure = null;
                future.complete(null);
                return;
            }
            case SHUTDOWN -> {
                future.completeExceptionally(
                        new TransportException(StatusCode.UNAVAILABLE, "this worker is stopping", worker, 0, null));
                return;
            }
            case TRANSIENT_FAILURE, IDLE, CONNECTING -> {
                // Retried at the next change of state. Two failures in a row cause no change.
            }
        }
        channel.notifyWhenStateChanged(state, () -> watch(future));
    }

    /// Retries the connection periodically and notes the reason of each new failure.
    ///
    /// @param earlier the failure of the latest attempt before this wait, once it is known; null in the first call
    private void redial(CompletableFuture<Void> future, @Nullable CompletableFuture<@Nullable Throwable> earlier) {
        if (future.isDone()) {
            return;
        }
        CompletableFuture<@Nullable Throwable> known = earlier == null ? new CompletableFuture<>() : earlier;
        if (channel.getState(true) == ConnectivityState.TRANSIENT_FAILURE) {
            // A channel stays in this state while it retries, and reports the last failed attempt, which may precede
            // this wait.
            askWhy(status -> {
                if (earlier == null) {
                    known.complete(status.getCause());
                } else if (known.isDone() && isAnother(status.getCause(), known.join())) {
                    noteFailure(status, future);
                }
            });
            channel.resetConnectBackoff();
        } else if (earlier == null) {
            known.complete(null);
        }
        var _ = timer.schedule(() -> redial(future, known), REDIAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static boolean isAnother(@Nullable Throwable cause, @Nullable Throwable earlier) {
        return cause == null || !cause.equals(earlier);
    }

    /// Finds the reason of the last failure: a call on a disconnected channel fails at once with it.
    private void askWhy(Consumer<Status> told) {
        var call = channel.newCall(
                TensorServiceGrpc.getPingMethod(),
                CallOptions.DEFAULT.withDeadlineAfter(10L * REDIAL_MILLIS, TimeUnit.MILLISECONDS));
        call.start(
                new ClientCall.Listener<PingResponse>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        told.accept(status);
                    }
                },
                new Metadata());
    }

    private void noteFailure(Status status, CompletableFuture<Void> future) {
        if (status.getCode() != Status.Code.UNAVAILABLE && status.getCode() != Status.Code.INTERNAL) {
            return;
        }
        latestFailure = status;
        TransportException lasting = ConnectFailure.lasting(worker, address, status);
        if (lasting != null) {
            future.completeExceptionally(lasting);
        }
    }
}
