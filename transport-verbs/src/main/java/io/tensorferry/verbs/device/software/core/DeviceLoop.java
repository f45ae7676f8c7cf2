package io.tensorferry.verbs.device.software.core;

/// The one thread that does the work of a device, as its hardware would; in a simulation, the virtual clock's event
/// queue.
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

    /// Whether application threads may wait for the loop; false where they are the loop.
    boolean mayBeAwaited();
}
