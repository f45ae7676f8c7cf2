package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.Futex;
import io.tensorferry.verbs.device.software.core.Bell;
import io.tensorferry.verbs.device.software.loop.DeviceEventLoop;
import java.util.concurrent.atomic.AtomicBoolean;

/// A bell that peers can ring too. Its sleeper waits on a futex word of the device's file and serves the device when
/// woken, so that no other thread stands between the peer and the waiting thread.
///
/// Threading: see [Bell].
final class FutexBell implements Bell {
    /// Limits each sleep, because an interrupt does not end the system call.
    private static final long LONGEST_SLEEP_NS = 100_000_000;

    private final SharedMemory memory;
    private final DeviceEventLoop loop;
    private final DeviceFile device;
    private final Futex futex = new Futex();
    private final AtomicBoolean rung = new AtomicBoolean();

    FutexBell(SharedMemory memory, DeviceEventLoop loop, DeviceFile device) {
        this.memory = memory;
        this.loop = loop;
        this.device = device;
    }

    @Override
    public void await(long timeoutNs) {
        long start = System.nanoTime();
        while (true) {
            loop.progress();
            long left = timeoutNs - (System.nanoTime() - start);
            if (rung.compareAndSet(true, false)
                    || left <= 0
                    || Thread.currentThread().isInterrupted()) {
                return;
            }
            int word = device.awaitingWord();
            memory.addSleeper();
            // Each later ring sees the sleeper.
            if (!rung.get() && !device.isMarked()) {
                device.sleepAwaiting(futex, word, Math.min(left, LONGEST_SLEEP_NS));
            }
            memory.removeSleeper();
        }
    }

    @Override
    public void ring() {
        if (!rung.get() && rung.compareAndSet(false, true)) {
            memory.wakeSleepers();
        }
    }

    @Override
    public void close() {
        futex.close();
    }
}
