package io.tensorferry.verbs.memory;

import io.tensorferry.api.thread.TransportThread;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Queue of threads that wait for memory to return to a pool at its limit.
///
/// First come, first served: only the longest waiting thread retries, so that small requests cannot starve a large one.
/// Requests that find room at once do not queue here and may overtake.
///
/// Threading: any thread. [#returned()] holds its lock for a few instructions and never waits for memory.
final class MemoryWaits {
    private final long longestNs;
    /// Held by the thread that retries.
    private final ReentrantLock turn = new ReentrantLock(true);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition change = lock.newCondition();
    private long returns;
    private boolean over;

    /// @param longestNs maximum wait in nanoseconds, 0 or more
    MemoryWaits(long longestNs) {
        this.longestNs = longestNs;
    }

    /// Retries each time memory was returned, until an attempt succeeds. On a worker thread, another thread takes over
    /// its place meanwhile, because the tasks that release memory must not wait for a thread.
    ///
    /// @param attempt allocates without waiting; returns null if there is no room
    /// @return null if the time has elapsed, the thread was interrupted (its interrupt status stays set), waits have
    ///     ended, or the calling thread is a transport thread that runs a callback and must never wait
    @Nullable
    SlabBlock await(Supplier<@Nullable SlabBlock> attempt) {
        var waiting = new ForkJoinPool.ManagedBlocker() {
            private @Nullable SlabBlock found;
            private boolean done;

            @Override
            public boolean block() {
                found = awaitHere(attempt);
                done = true;
                return true;
            }

            @Override
            public boolean isReleasable() {
                return done;
            }
        };
        try {
            ForkJoinPool.managedBlock(waiting);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return waiting.found;
    }

    private @Nullable SlabBlock awaitHere(Supplier<@Nullable SlabBlock> attempt) {
        long deadlineNs = System.nanoTime() + longestNs;
        try {
            if (longestNs == 0 || TransportThread.neverWaits() || !turn.tryLock(longestNs, TimeUnit.NANOSECONDS)) {
                return null;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return null;
        }
        try {
            while (true) {
                long seen = returns();
                SlabBlock block = attempt.get();
                if (block != null || !awaitReturn(seen, deadlineNs)) {
                    return block;
                }
            }
        } finally {
            turn.unlock();
        }
    }

    private long returns() {
        lock.lock();
        try {
            return returns;
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitReturn(long seen, long deadlineNs) {
        lock.lock();
        try {
            while (returns == seen && !over) {
                long leftNs = deadlineNs - System.nanoTime();
                if (leftNs <= 0) {
                    return false;
                }
                var _ = change.awaitNanos(leftNs);
            }
            return !over;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /// Signals that memory was returned.
    void returned() {
        lock.lock();
        try {
            returns++;
            change.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Ends all current waits, and disables later ones.
    void end() {
        lock.lock();
        try {
            over = true;
            change.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
