package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.CompletionChannel;
import io.tensorferry.verbs.device.OpenChildren;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
/// Where a thread sleeps until a completion queue has something. In a simulation nobody sleeps: the wait returns at
/// once, and whoever drives the clock goes on.
///
/// Threading: one thread waits; the loop and any other thread wake it.

final class SoftwareCompletionChannel implements CompletionChannel {
    private final SoftwareDevice device;
    private final OpenChildren queues = new OpenChildren("completion channel");
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition raised = lock.newCondition();
    private boolean pending;

    SoftwareCompletionChannel(SoftwareDevice device) {
        this.device = device;
    }

    @Override
    public void await(long timeoutNs) {
        lock.lock();
        try {
            long left = device.loop().mayBeAwaited() ? timeoutNs : 0;
            while (!pending && left > 0) {
                left = raised.awaitNanos(left);
            }
            pending = false;
        } catch (InterruptedException interrupted) {
            // An interrupt ends the wait as a wake-up does; the owner of the thread looks at the flag.
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void wakeUp() {
        lock.lock();
        try {
            pending = true;
            raised.signalAll();
        } finally {
            lock.unlock();
        }
    }

    OpenChildren queues() {
        return queues;
    }

    @Override
    public void close() {
        if (queues.close("ibv_destroy_comp_channel")) {
            device.children().remove();
        }
    }
}
