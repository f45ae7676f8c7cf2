package io.tensorferry.verbs.device.software.core;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A bell that threads of this process ring.
final class ConditionBell implements Bell {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition raised = lock.newCondition();
    private boolean pending;

    @Override
    public void await(long timeoutNs) {
        lock.lock();
        try {
            long left = timeoutNs;
            while (!pending && left > 0) {
                left = raised.awaitNanos(left);
            }
            pending = false;
        } catch (InterruptedException interrupted) {
            // An interrupt ends the wait as a ring does; the owner of the thread checks the interrupt status.
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ring() {
        lock.lock();
        try {
            pending = true;
            raised.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        // Holds no resource.
    }
}
