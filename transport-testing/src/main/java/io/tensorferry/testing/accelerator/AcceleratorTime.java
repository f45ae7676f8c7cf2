package io.tensorferry.testing.accelerator;

import io.tensorferry.testing.fabric.SimulatedFabric;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// The time in which a simulated accelerator works: that of a simulated network, or the real one.
public interface AcceleratorTime extends AutoCloseable {
    long now();

    /// Has `action` run after `delayNs`, in the order of the times, and of the calls where two are the same.
    void schedule(long delayNs, Runnable action);

    /// Whether a thread may wait for what is scheduled.
    boolean mayWait();

    /// Nothing more is run.
    @Override
    void close();

    /// Virtual time, for the thread that turns `fabric`.
    static AcceleratorTime of(SimulatedFabric fabric) {
        return new AcceleratorTime() {
            @Override
            public long now() {
                return fabric.now();
            }

            @Override
            public void schedule(long delayNs, Runnable action) {
                fabric.schedule(delayNs, action);
            }

            @Override
            public boolean mayWait() {
                return false;
            }

            @Override
            public void close() {
                // The fabric is the test's.
            }
        };
    }

    /// Real time, with a thread of its own. The caller closes it.
    static AcceleratorTime real() {
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task ->
                Thread.ofPlatform().name("simulated-accelerator").daemon(true).unstarted(task));
        return new AcceleratorTime() {
            @Override
            public long now() {
                return System.nanoTime();
            }

            @Override
            public void schedule(long delayNs, Runnable action) {
                var _ = thread.schedule(action, delayNs, TimeUnit.NANOSECONDS);
            }

            @Override
            public boolean mayWait() {
                return true;
            }

            @Override
            public void close() {
                thread.shutdownNow();
            }
        };
    }
}
