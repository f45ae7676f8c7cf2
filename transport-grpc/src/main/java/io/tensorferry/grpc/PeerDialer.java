package io.tensorferry.grpc;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.peer.GrpcStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Connects to peers, with retries until they answer: to all at the start of the server, or for a caller that waits.
///
/// Threading: any thread.
final class PeerDialer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerDialer.class);
    private static final long FIRST_BACKOFF_MILLIS = 50;
    private static final int MOST_REASONS = 4;
    private static final long LONGEST_BACKOFF_MILLIS = 1000;

    private final String workerName;
    private final Set<String> peers;
    private final WorkerTransport transport;
    private final ScheduledExecutorService timer;
    private final Function<String, @Nullable String> obstacles;
    // The latest retryable failure of each peer.
    private final Map<String, TransportException> latest = new ConcurrentHashMap<>();
    // Dials that have not ended.
    private final Set<Dial> dials = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /// @param workerName this worker
    /// @param peers the workers to dial, without this worker
    /// @param obstacles returns the known reason why gRPC cannot reach a peer, or null
    PeerDialer(
            String workerName,
            Set<String> peers,
            WorkerTransport transport,
            ScheduledExecutorService timer,
            Function<String, @Nullable String> obstacles) {
        this.workerName = workerName;
        this.peers = Set.copyOf(peers);
        this.transport = transport;
        this.timer = timer;
        this.obstacles = obstacles;
    }

    /// Dials all peers in the background. Refusals are logged; the first receive that names such a peer reports the
    /// refusal again.
    void startAll() {
        for (String peer : peers) {
            var _ = dial(peer).whenComplete((_, failure) -> {
                if (failure != null && !closed) {
                    LOG.warn("{} refuses this worker: {}", peer, failure.getMessage());
                }
            });
        }
    }

    /// Dials all peers and waits until all have answered.
    ///
    /// @throws TransportException `DEADLINE_EXCEEDED`, naming the peers that did not answer in time and known reasons;
    ///     `UNAVAILABLE` once this dialer is closed; or the refusal of a peer
    void awaitAll(Duration timeout) throws InterruptedException {
        Map<String, CompletableFuture<Void>> dialled = new TreeMap<>();
        peers.forEach(peer -> dialled.put(peer, dial(peer)));
        var outcome = new CompletableFuture<Void>();
        for (CompletableFuture<Void> one : dialled.values()) {
            var _ = one.whenComplete((_, failure) -> {
                if (failure != null) {
                    outcome.completeExceptionally(failure);
                }
            });
        }
        var _ = CompletableFuture.allOf(dialled.values().toArray(CompletableFuture[]::new))
                .thenRun(() -> outcome.complete(null));
        try {
            // Duration#toNanos() throws for durations over 292 years; convert() saturates.
            outcome.get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof TransportException refusal
                    ? refusal
                    : new TransportException(StatusCode.INTERNAL, "dialling the peers failed", e);
        } catch (TimeoutException _) {
            dialled.values().removeIf(CompletableFuture::isDone);
            throw missing(timeout, dialled.keySet());
        } finally {
            dialled.values().forEach(one -> one.cancel(false));
        }
    }

    private TransportException missing(Duration timeout, Set<String> silent) {
        String reasons = silent.stream()
                .map(this::reason)
                .filter(Objects::nonNull)
                .limit(MOST_REASONS)
                .collect(Collectors.joining("; "));
        return new TransportException(
                StatusCode.DEADLINE_EXCEEDED,
                "no answer within " + timeout + " from " + silent + (reasons.isEmpty() ? "" : "; " + reasons));
    }

    /// Formats a reason as `/job:worker/replica:0/task:1: no connection to ...`; null if none is known.
    private @Nullable String reason(String peer) {
        String why = obstacles.apply(peer);
        if (why == null) {
            TransportException attempt = latest.get(peer);
            why = attempt == null ? null : attempt.reasonWithDetails();
        }
        return why == null ? null : peer + ": " + why;
    }

    /// A dial that has not ended.
    private static final class Dial {
        private final CompletableFuture<Void> done = new CompletableFuture<>();
    }

    /// Dials one peer with retries. Cancelling the future ends them.
    private CompletableFuture<Void> dial(String peer) {
        var dial = new Dial();
        CompletableFuture<Void> done = dial.done;
        dials.add(dial);
        var _ = done.whenComplete((_, _) -> dials.remove(dial));
        if (closed) {
            // close() may have read the set before this dial was added.
            done.completeExceptionally(stopping());
        }
        attempt(peer, done, FIRST_BACKOFF_MILLIS);
        return done;
    }

    private void attempt(String peer, CompletableFuture<Void> done, long backoffMillis) {
        if (done.isDone()) {
            return;
        }
        var _ = transport.connect(peer).whenComplete((_, failure) -> {
            if (failure == null) {
                done.complete(null);
                return;
            }
            TransportException cause = GrpcStatus.fromGrpc("connecting", peer, failure);
            if (!isRetryable(cause.code())) {
                done.completeExceptionally(cause);
                return;
            }
            if (done.isDone()) {
                return;
            }
            latest.put(peer, cause);
            LOG.debug("{} does not answer yet, next attempt in {} ms: {}", peer, backoffMillis, cause.getMessage());
            long next = Math.min(2 * backoffMillis, LONGEST_BACKOFF_MILLIS);
            var _ = timer.schedule(() -> attempt(peer, done, next), backoffMillis, TimeUnit.MILLISECONDS);
        });
    }

    private static boolean isRetryable(StatusCode code) {
        return code == StatusCode.UNAVAILABLE || code == StatusCode.DEADLINE_EXCEEDED || code == StatusCode.ABORTED;
    }

    private TransportException stopping() {
        return new TransportException(StatusCode.UNAVAILABLE, workerName + " is stopping");
    }

    /// Ends all dials: their futures fail with `UNAVAILABLE`.
    @Override
    public void close() {
        closed = true;
        List.copyOf(dials).forEach(dial -> dial.done.completeExceptionally(stopping()));
    }
}
