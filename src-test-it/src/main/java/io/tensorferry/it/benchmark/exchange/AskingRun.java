package io.tensorferry.it.benchmark.exchange;

import io.tensorferry.it.benchmark.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/// Requests a number of tensors and times each: as soon as a slot is free ([#closed]), or at a fixed rate ([#paced]).
/// An object is used for one run.
///
/// Threading: one thread starts the run and makes a polled consumer progress; arrivals are reported on any thread.
final class AskingRun {
    private static final int DIGITS = 3;
    // Linux wakes a thread up to 50 us late.
    private static final long SPIN_NS = 100_000;

    private final TensorConsumer consumer;
    private final long bytes;
    private final int count;
    private final boolean checked;
    private final AtomicInteger unasked;
    private final AtomicInteger missing;
    private final CountDownLatch finished = new CountDownLatch(1);
    private final ConcurrentHistogram latenciesNs = new ConcurrentHistogram(DIGITS);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final ConcurrentLinkedQueue<Slot> free = new ConcurrentLinkedQueue<>();
    private volatile boolean over;
    private volatile boolean asksAgain;

    /// @param checked whether every byte is compared, which takes time
    AskingRun(TensorConsumer consumer, long bytes, int count, boolean checked) {
        this.consumer = consumer;
        this.bytes = bytes;
        this.count = count;
        this.checked = checked;
        this.unasked = new AtomicInteger(count);
        this.missing = new AtomicInteger(count);
    }

    /// Keeps `window` requests outstanding.
    ///
    /// @throws IllegalStateException if a tensor does not arrive, or has another length or content
    Transfer closed(int window) throws InterruptedException {
        asksAgain = true;
        long start = System.nanoTime();
        for (int i = 0; i < window; i++) {
            new Slot(i).askForNext();
        }
        return finish(start);
    }

    /// Requests tensors at a fixed schedule. Each latency starts at the scheduled time, not when a slot becomes free: a
    /// tensor that delays the next ones adds to their latencies too.
    ///
    /// @param slots the maximum number of outstanding requests
    /// @throws IllegalStateException if a tensor does not arrive, or has another length
    Transfer paced(int slots, double perSecond) throws InterruptedException {
        for (int i = 0; i < slots; i++) {
            free.add(new Slot(i));
        }
        double intervalNs = 1e9 / perSecond;
        long start = System.nanoTime();
        for (int i = 0; i < count && !over; i++) {
            long intendedNs = start + (long) (i * intervalNs);
            awaitTime(intendedNs);
            Slot slot = awaitFree();
            if (slot != null) {
                slot.ask(intendedNs);
            }
        }
        return finish(start);
    }

    private void awaitTime(long timeNs) {
        for (long leftNs = timeNs - System.nanoTime(); leftNs > 0; leftNs = timeNs - System.nanoTime()) {
            if (consumer.isPolled()) {
                consumer.progress();
            } else if (leftNs > SPIN_NS) {
                LockSupport.parkNanos(leftNs - SPIN_NS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private @Nullable Slot awaitFree() {
        Slot slot = free.poll();
        while (slot == null && !over) {
            if (consumer.isPolled()) {
                consumer.progress();
            } else {
                Thread.onSpinWait();
            }
            slot = free.poll();
        }
        return slot;
    }

    private Transfer finish(long startNs) throws InterruptedException {
        if (consumer.isPolled()) {
            while (!over) {
                consumer.progress();
            }
        }
        finished.await();
        long elapsedNs = System.nanoTime() - startNs;
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException("a tensor of " + bytes + " bytes did not arrive", cause);
        }
        return new Transfer(count, bytes * count, elapsedNs, latenciesNs);
    }

    private void end() {
        over = true;
        finished.countDown();
    }

    /// A slot for one tensor, which receives the outcome of its requests.
    private final class Slot implements Arrival {
        private final int number;
        private long askedNs;

        Slot(int number) {
            this.number = number;
        }

        void askForNext() {
            if (unasked.getAndDecrement() > 0) {
                ask(System.nanoTime());
            }
        }

        void ask(long timeNs) {
            askedNs = timeNs;
            consumer.ask(number, this);
        }

        @Override
        public void arrived(MemorySegment content) {
            takeTime();
            try {
                if (checked) {
                    Content.check(content, bytes);
                } else {
                    requireLength(content.byteSize());
                }
            } catch (RuntimeException e) {
                failed(e);
            }
        }

        @Override
        public void arrivedOnDevice(DeviceContent content) {
            takeTime();
            try {
                if (checked) {
                    content.take(memory -> Content.check(memory, bytes));
                } else {
                    requireLength(content.byteSize());
                }
            } catch (RuntimeException e) {
                failed(e);
            }
        }

        private void takeTime() {
            latenciesNs.recordValue(Math.max(0, System.nanoTime() - askedNs));
        }

        private void requireLength(long came) {
            if (came != bytes) {
                throw new IllegalStateException("a tensor of " + came + " bytes arrived, not of " + bytes);
            }
        }

        @Override
        public void slotIsFree() {
            if (missing.decrementAndGet() == 0) {
                end();
            } else if (asksAgain) {
                askForNext();
            } else {
                free.add(this);
            }
        }

        @Override
        public void failed(Throwable cause) {
            failure.compareAndSet(null, cause);
            end();
        }
    }
}
