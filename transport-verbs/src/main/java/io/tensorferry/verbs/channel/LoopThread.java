package io.tensorferry.verbs.channel;

import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// Turns a completion loop on a thread of its own: polls, spins for a bounded time, then sleeps until something
/// happens.
///
/// Threading: [#start] and [#stop] from one thread at a time.
final class LoopThread implements LoopRunner {
    private final String name;
    private final long spinNs;
    private final CountDownLatch stopped = new CountDownLatch(1);
    // Read and written by the loop's thread alone.
    private boolean running = true;
    private @Nullable CompletionLoop loop;

    LoopThread(String name, long spinNs) {
        this.name = name;
        this.spinNs = spinNs;
    }

    @Override
    public void start(CompletionLoop loop) {
        this.loop = loop;
        Thread.ofPlatform().name(name).daemon(true).start(() -> run(loop));
    }

    private void run(CompletionLoop loop) {
        try {
            long idleSinceNs = System.nanoTime();
            while (running) {
                if (loop.doWork() > 0) {
                    idleSinceNs = System.nanoTime();
                } else if (System.nanoTime() - idleSinceNs < spinNs) {
                    Thread.onSpinWait();
                } else {
                    loop.sleep();
                    idleSinceNs = System.nanoTime();
                }
            }
        } finally {
            stopped.countDown();
        }
    }

    @Override
    public void stop(Runnable last) {
        CompletionLoop started = Objects.requireNonNull(loop, "the loop was not started");
        started.execute(() -> {
            try {
                last.run();
            } finally {
                running = false;
            }
        });
        boolean interrupted = false;
        while (stopped.getCount() > 0) {
            try {
                stopped.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
