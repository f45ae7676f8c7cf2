package io.tensorferry.verbs.device.software.core;

/// Who does the work of a device, as its hardware would: one thread at a time. "On the loop" is whoever has the turn.
/// That is a thread of the device, or a thread of the application that posts or polls and does at once what would
/// otherwise wait for the device's; in a simulation, the virtual clock's event queue.
public interface DeviceLoop {
    /// Nanoseconds since an arbitrary start.
    long now();

    /// Runs `action` on the loop after at least `delayNs`. On the loop only.
    void schedule(long delayNs, Runnable action);

    /// Runs `action` on the loop some time later; returns at once. Any thread.
    void submit(Runnable action);

    /// Runs `action` on the loop and returns when it has run; runs it at once where the caller is the loop. What it
    /// throws is thrown here. Any thread.
    void run(Runnable action);

    /// Has the loop call [SoftwareQueuePair#service()] soon; returns at once and allocates nothing. Any thread. A
    /// queue pair is handed over again only after its service has begun.
    void ready(SoftwareQueuePair queuePair);

    /// Does what waits, unless another thread is at it; never waits itself. Whoever polls a completion queue calls it
    /// first. Any thread.
    default void progress() {}

    /// Returns when what was going on in registered memory when this was called goes on no more. What may go on
    /// afterwards asked first whether it may ([PayloadMemory#isOpen()]). Any thread, on the loop or not.
    default void awaitAccess() {
        run(() -> {});
    }

    /// What a thread sleeps on that waits for completions.
    default Bell newBell() {
        return new ConditionBell();
    }

    /// Whether application threads may wait for the loop; false where they are the loop.
    boolean mayBeAwaited();
}
