package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.MemoryOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The simulation of late writes on real threads, over connections of the operating system: receives are given up while
/// their contents are in flight, channels are lost, and all released memory is taken and watched. Both workers
/// receive, `-Dlate.seconds` long.
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class LateWriteThreadsTest {
    private static final long RUN_NS = Long.getLong("late.seconds", 2) * 1_000_000_000L;
    private static final int BYTES = 256 << 10;
    private static final int EDGES = 8;
    private static final long LIMIT = 8L << 20;
    private static final long RESERVE = 3L * BYTES;
    private static final byte CONTENT = 0x55;
    private static final byte GUARD = (byte) 0xAA;

    private final FaultyDevice faults = new FaultyDevice();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicInteger handedOut = new AtomicInteger();
    private final AtomicInteger received = new AtomicInteger();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    @Test
    void memoryThatWasHandedOutAgainIsNotWritten() throws Exception {
        long endNs = System.nanoTime() + RUN_NS;
        try (var workers = new LoopbackWorkers(faults, new MemoryOptions(LIMIT, 2 * LIMIT))) {
            var threads = new ArrayList<Thread>();
            for (int consumer = 0; consumer < 2; consumer++) {
                int self = consumer;
                threads.add(Thread.ofPlatform().start(() -> guarded(() -> new Storm(workers, self).run(endNs))));
            }
            threads.add(Thread.ofPlatform().start(() -> guarded(() -> loseChannels(endNs))));
            for (Thread thread : threads) {
                thread.join();
            }
            faults.recover();
            assertThat(failure.get()).isNull();
            while (ended.get() < begun.get()) {
                Thread.sleep(5);
            }
            assertThat(ended).hasValue(begun.get());
            assertThat(handedOut.get())
                    .as("pieces of memory that were handed out")
                    .isGreaterThan(200);
            assertThat(received.get()).as("receives that got their tensor").isGreaterThan(50);
            assertThat(workers.worker(0).adapter.counters().failed())
                    .as("channels that were lost")
                    .isPositive();
            System.out.printf(
                    "%d receives, %d got their tensor, %d pieces of memory watched, %d channels lost%n",
                    begun.get(),
                    received.get(),
                    handedOut.get(),
                    workers.worker(0).adapter.counters().failed());
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private void guarded(Work work) {
        try {
            work.run();
        } catch (Exception | Error e) {
            failure.compareAndSet(null, e);
        }
    }

    private void loseChannels(long endNs) throws InterruptedException {
        while (System.nanoTime() < endNs && failure.get() == null) {
            Thread.sleep(400);
            faults.refuse("poll");
            Thread.sleep(2);
            faults.recover();
        }
    }

    /// One worker that receives, and watches its released memory.
    private final class Storm {
        private final LoopbackWorkers workers;
        private final int self;
        private final SplittableRandom random;
        private final Queue<Tensor> guards = new ArrayDeque<>();
        private long step;

        Storm(LoopbackWorkers workers, int self) {
            this.workers = workers;
            this.self = self;
            this.random = new SplittableRandom(self);
            this.step = 1_000_000L * (self + 1);
        }

        void run(long endNs) throws InterruptedException {
            try (Tensor content = workers.worker(1 - self).bytes(BYTES, CONTENT)) {
                while (System.nanoTime() < endNs && failure.get() == null) {
                    round(content);
                }
            }
            Thread.sleep(200);
            giveBack(guards.size());
            closeStep();
        }

        private void round(Tensor content) {
            Rendezvous rendezvous = workers.worker(self).manager.rendezvous(step);
            Rendezvous producer = workers.worker(1 - self).manager.rendezvous(step);
            List<PendingReceive> pending = new ArrayList<>();
            for (int edge = 0; edge < EDGES; edge++) {
                var key = LoopbackWorkers.key(1 - self, self, "edge" + edge);
                producer.send(key, content.share());
                begun.incrementAndGet();
                pending.add(rendezvous.recvAsync(key, this::onEnd));
            }
            LockSupport.parkNanos(random.nextLong(600_000));
            pending.stream().filter(_ -> random.nextInt(4) != 0).forEach(PendingReceive::cancel);
            takeAll();
            LockSupport.parkNanos(random.nextLong(1_000_000));
            if (random.nextInt(20) == 0) {
                closeStep();
            }
            giveBack(random.nextInt(12));
        }

        private void closeStep() {
            workers.worker(self).manager.closeStep(step);
            workers.worker(1 - self).manager.closeStep(step);
            step++;
        }

        private void onEnd(RecvResult result) {
            guarded(() -> {
                if (result instanceof RecvResult.Received(Tensor tensor)) {
                    try (tensor) {
                        assertAll(tensor, CONTENT, "a tensor that was received");
                    }
                    received.incrementAndGet();
                }
            });
            ended.incrementAndGet();
        }

        private void takeAll() {
            var memory = workers.worker(self).adapter.memory();
            while (memory.statistics().bytesInUse() + RESERVE < LIMIT) {
                try {
                    guards.add(workers.worker(self).bytes(BYTES, GUARD));
                } catch (TransportException _) {
                    // A receive was faster.
                    return;
                }
                handedOut.incrementAndGet();
            }
        }

        private void giveBack(int count) {
            for (int i = 0; i < count && !guards.isEmpty(); i++) {
                try (Tensor guard = guards.remove()) {
                    assertAll(guard, GUARD, "memory that was handed out again");
                }
            }
        }
    }

    private static void assertAll(Tensor tensor, byte expected, String what) {
        MemorySegment memory = tensor.segment();
        for (long at = 0; at < memory.byteSize(); at++) {
            if (memory.get(ValueLayout.JAVA_BYTE, at) != expected) {
                throw new AssertionError("byte " + at + " of " + what + " is " + memory.get(ValueLayout.JAVA_BYTE, at)
                        + ", not " + expected);
            }
        }
    }
}
