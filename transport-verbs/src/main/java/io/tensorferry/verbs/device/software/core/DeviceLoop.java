package io.tensorferry.verbs.device.software.core;

/// Executes the work of a device as its hardware would, one thread at a time. "On the loop" means: by the thread that
/// holds the turn. That thread is a thread of the device, or an application thread that posts or polls and performs the
/// device's work immediately. In a simulation it is the event queue of the virtual clock.
public interface DeviceLoop {
    /// Nanoseconds since an arbitrary start.
    long now();

    /// Runs `action` on the loop after at least `delayNs`. On the loop only.
    void schedule(long delayNs, Runnable action);

    /// Queues `action` to run on the loop; returns at once. Any thread.
    void submit(Runnable action);

    /// Runs `action` on the loop and returns after it has run; runs it at once if the caller is on the loop. Rethrows
    /// any exception of `action`. Any thread.
    void run(Runnable action);

    /// Schedules a call of [SoftwareQueuePair#service()] on the loop; returns at once and allocates nothing. A queue
    /// pair may be scheduled again only after its service has begun. Any thread.
    void ready(SoftwareQueuePair queuePair);

    /// Performs pending work, unless another thread holds the turn; never blocks. Every poll of a completion queue
    /// calls this first. Any thread.
    default void progress() {}

    /// Returns when every access to registered memory that was in progress at the call has ended. Each later access
    /// first checks [PayloadMemory#isOpen()]. Any thread, on the loop or not.
    default void awaitAccess() {
        run(() -> {});
    }

    /// Creates a bell on which a thread sleeps while it awaits completions.
    default Bell newBell() {
        return new ConditionBell();
    }

    /// Whether application threads may wait for the loop; false if they are the loop.
    boolean mayBeAwaited();
}
