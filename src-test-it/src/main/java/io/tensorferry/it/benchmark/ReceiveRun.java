package io.tensorferry.it.benchmark;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Tensor;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/// Receives a number of tensors under one key, a window of them at a time: each that arrives asks for the next.
///
/// Threading: made and started by one thread; the rest happens on the callback executor.
final class ReceiveRun {
    private static final int DIGITS = 3;

    private final Rendezvous rendezvous;
    private final RendezvousKey key;
    private final long tensorBytes;
    private final int count;
    private final AtomicInteger unasked;
    private final CountDownLatch unfinished;
    private final ConcurrentHistogram latenciesNs = new ConcurrentHistogram(DIGITS);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    ReceiveRun(Rendezvous rendezvous, RendezvousKey key, long tensorBytes, int count) {
        this.rendezvous = rendezvous;
        this.key = key;
        this.tensorBytes = tensorBytes;
        this.count = count;
        this.unasked = new AtomicInteger(count);
        this.unfinished = new CountDownLatch(count);
    }

    /// @throws IllegalStateException if a tensor cannot be received or has another size
    Transfer run(int window) throws InterruptedException {
        long start = System.nanoTime();
        for (int i = 0; i < window; i++) {
            askForNext();
        }
        unfinished.await();
        long elapsedNs = System.nanoTime() - start;
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException("a receive of " + key + " failed", cause);
        }
        return new Transfer(count, tensorBytes * count, elapsedNs, latenciesNs);
    }

    private void askForNext() {
        if (unasked.getAndDecrement() > 0) {
            long askedNs = System.nanoTime();
            rendezvous.recvAsync(key, result -> {
                latenciesNs.recordValue(System.nanoTime() - askedNs);
                check(result);
                askForNext();
                unfinished.countDown();
            });
        }
    }

    private void check(RecvResult result) {
        try (Tensor tensor = result.tensorOrThrow()) {
            if (tensor.byteSize() != tensorBytes) {
                throw new IllegalStateException(
                        "a tensor of " + tensor.byteSize() + " bytes came, not of " + tensorBytes);
            }
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }
}
