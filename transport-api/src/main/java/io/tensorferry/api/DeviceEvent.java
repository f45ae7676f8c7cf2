package io.tensorferry.api;

/// A point in a stream of an accelerator: it is reached when all that was queued before it is done.
///
/// Threading: any thread.
public interface DeviceEvent extends AutoCloseable {
    /// Whether it is reached; never waits for the device.
    ///
    /// @throws TransportException `INTERNAL` with what the driver says, if the device has failed
    boolean isReached();

    /// Waits until it is reached.
    ///
    /// @throws TransportException `INTERNAL` with what the driver says, if the device has failed
    /// @throws InterruptedException if the calling thread was interrupted
    void await() throws InterruptedException;

    /// Forgets it; what was queued goes on. The second and later calls do nothing.
    @Override
    void close();
}
