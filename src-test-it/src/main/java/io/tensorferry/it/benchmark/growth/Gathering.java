package io.tensorferry.it.benchmark.growth;

import io.tensorferry.it.benchmark.exchange.Arrival;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Waits for a number of tensors. Arrivals are reported on any thread.
final class Gathering implements Arrival {
    private static final long LIMIT_SECONDS = 120;

    private final CountDownLatch missing;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Gathering(int count) {
        this.missing = new CountDownLatch(count);
    }

    @Override
    public void arrived(MemorySegment content) {}

    @Override
    public void slotIsFree() {
        missing.countDown();
    }

    @Override
    public void failed(Throwable cause) {
        failure.compareAndSet(null, cause);
        missing.countDown();
    }

    /// Whether the wait is over.
    boolean isComplete() {
        return missing.getCount() == 0;
    }

    /// @throws IllegalStateException if a receive has failed, or the tensors have not arrived within two minutes
    void await() throws InterruptedException {
        if (!missing.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(missing.getCount() + " tensors did not arrive");
        }
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException("a tensor did not arrive", cause);
        }
    }
}
