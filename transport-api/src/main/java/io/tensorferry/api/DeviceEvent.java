package io.tensorferry.api;

/// A point in an accelerator's stream, reached when all work queued before it is done.
///
/// Threading: any thread.
public interface DeviceEvent extends AutoCloseable {
    /// Whether the event is reached; never waits for the device.
    ///
    /// @throws TransportException `INTERNAL` with the driver's message if the device has failed
    /// @throws IllegalStateException if this event is closed
    boolean isReached();

    /// Waits until the event is reached.
    ///
    /// @throws TransportException `INTERNAL` with the driver's message if the device has failed
    /// @throws IllegalStateException if this event is closed
    /// @throws InterruptedException if the calling thread was interrupted
    void await() throws InterruptedException;

    /// Releases the event; queued work is not affected. The second and later calls do nothing.
    @Override
    void close();
}
