package io.tensorferry.verbs.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A stop relies on this: after its wait, no task is in progress.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BackgroundThreadsTest {
    private final BackgroundThreads workers = new BackgroundThreads("worker-");

    @Test
    void waitsForAllThatWasGivenAndForWhatThatGives() {
        var done = new AtomicInteger();
        for (int i = 0; i < 1_000; i++) {
            workers.execute(() -> workers.execute(done::incrementAndGet));
        }
        workers.awaitIdle();
        assertThat(done).hasValue(1_000);
        workers.close();
    }

    @Test
    void whatThrowsIsDoneToo() {
        workers.execute(() -> {
            throw new IllegalStateException("a mistake");
        });
        workers.awaitIdle();
        workers.close();
    }

    @Test
    void anInterruptDoesNotEndTheWait() throws InterruptedException {
        var go = new CountDownLatch(1);
        var done = new AtomicInteger();
        workers.execute(() -> {
            await(go);
            done.incrementAndGet();
        });
        var seen = new AtomicInteger();
        var interrupted = new AtomicBoolean();
        Thread waiting = Thread.ofPlatform().start(() -> {
            Thread.currentThread().interrupt();
            workers.awaitIdle();
            seen.set(done.get());
            interrupted.set(Thread.interrupted());
        });
        go.countDown();
        waiting.join();
        assertThat(seen).hasValue(1);
        assertThat(interrupted).isTrue();
        workers.close();
    }

    @Test
    void nothingIsTakenWhenItIsClosedNorWaitedFor() {
        workers.close();
        assertThatThrownBy(() -> workers.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        workers.awaitIdle();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
