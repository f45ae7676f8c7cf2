package io.tensorferry.verbs.memory;

import io.tensorferry.api.TransportThread;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Those who wait for memory to come back to a pool that may not grow any more.
///
/// First come first served: only who has waited for longest looks for room, so that a large request is not overtaken
/// by small ones for ever. Requests that find room at once do not wait here and may overtake.
///
/// Threading: any thread. [#returned()] takes its lock for a few instructions and never waits.
final class MemoryWaits {
    private final long longestNs;
    /// Held by the one who looks for room.
    private final ReentrantLock turn = new ReentrantLock(true);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition change = lock.newCondition();
    private long returns;
    private boolean over;

    /// @param longestNs how long one waits at most, 0 or more
    MemoryWaits(long longestNs) {
        this.longestNs = longestNs;
    }

    /// Tries again whenever something came back, until that brings a result. On a worker, another thread takes its
    /// place meanwhile: those who would give memory back must not wait for a thread.
    ///
    /// @param attempt looks for room without waiting; null for none
    /// @return null if the time is up, the thread was interrupted (it still is then), nobody waits any more, or the
    ///     thread is one of the transport's that never wait, on which a callback runs
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

    /// Something came back.
    void returned() {
        lock.lock();
        try {
            returns++;
            change.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// From now on nobody waits, and who waits now gives up.
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
