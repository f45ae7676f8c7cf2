package io.tensorferry.testing.accelerator;

import io.tensorferry.testing.fabric.SimulatedFabric;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// The clock of a simulated accelerator: the virtual time of a simulated network, or real time.
public interface AcceleratorTime extends AutoCloseable {
    long now();

    /// Schedules `action` after `delayNs`. Actions run in order of time; actions at the same time run in the order of
    /// the calls.
    void schedule(long delayNs, Runnable action);

    /// Whether a thread may block until scheduled actions have run.
    boolean mayWait();

    /// Cancels all scheduled actions.
    @Override
    void close();

    /// Virtual time, for the thread that runs `fabric`.
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
                // The test owns the fabric.
            }
        };
    }

    /// Real time, on a dedicated thread. The caller closes it.
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
