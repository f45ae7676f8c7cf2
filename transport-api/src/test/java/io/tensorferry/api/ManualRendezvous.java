package io.tensorferry.api;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A rendezvous of one receive whose end the test decides.
final class ManualRendezvous implements Rendezvous {
    private volatile @Nullable DoneCallback pending;
    /// The timeout of the receive; null if none was given.
    volatile @Nullable Duration timeout;
    private final AtomicBoolean ended = new AtomicBoolean();
    final AtomicInteger cancelled = new AtomicInteger();
    /// Whether a cancelled receive ends at once with `CANCELLED`, as a real one does.
    volatile boolean answersCancel = true;
    /// The future of the receive; null for a new one.
    volatile @Nullable CompletableFuture<RecvResult> future;

    boolean isAsked() {
        return pending != null;
    }

    /// Ends the receive; returns whether it had not ended already.
    boolean end(RecvResult result) {
        DoneCallback done = pending;
        if (done == null || !ended.compareAndSet(false, true)) {
            return false;
        }
        done.done(result);
        return true;
    }

    @Override
    public PendingReceive recvAsync(RendezvousKey key, DoneCallback done) {
        pending = done;
        return () -> {
            cancelled.incrementAndGet();
            return answersCancel
                    && end(new RecvResult.Failed(new TransportException(StatusCode.CANCELLED, "cancelled")));
        };
    }

    @Override
    public PendingReceive recvAsync(RendezvousKey key, Duration given, DoneCallback done) {
        timeout = given;
        return recvAsync(key, done);
    }

    @Override
    public CompletableFuture<RecvResult> recvAsync(RendezvousKey key) {
        CompletableFuture<RecvResult> given = future;
        return given == null ? Rendezvous.super.recvAsync(key) : given;
    }

    @Override
    public long stepId() {
        return 1;
    }

    @Override
    public void send(RendezvousKey key, Tensor tensor) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sendDead(RendezvousKey key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void startAbort(StatusCode code, String message) {
        throw new UnsupportedOperationException();
    }
}
