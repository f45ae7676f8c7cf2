package io.tensorferry.api;

import java.lang.foreign.MemorySegment;

/// A queue of asynchronous work on an accelerator, executed in order. Copies from and to pinned host memory
/// ([Accelerator#pin]) are only queued; a copy of other host memory may be complete when the call returns.
///
/// An error may belong to earlier work of the device: an accelerator reports an asynchronous failure at the next call.
///
/// Threading: any thread; calls on one stream must not overlap.
public interface DeviceStream extends AutoCloseable {
    /// The accelerator whose work this stream queues.
    Accelerator device();

    /// Queues a copy of `target.byteSize()` bytes from a device address to host memory.
    ///
    /// @param source the device address of the first byte
    /// @param target off-heap memory, alive and unused until the copy is done
    /// @throws IllegalArgumentException if `target` is on the heap or read-only
    /// @throws IllegalStateException if this stream is closed
    /// @throws TransportException `INTERNAL`, or `RESOURCE_EXHAUSTED` if the device is out of memory, with the driver's
    ///     message
    void copyToHost(long source, MemorySegment target);

    /// Queues a copy of all of `source` to a device address.
    ///
    /// @param source off-heap memory, alive and unchanged until the copy is done
    /// @param target the device address of the first byte
    /// @throws IllegalArgumentException if `source` is on the heap
    /// @throws IllegalStateException if this stream is closed
    /// @throws TransportException `INTERNAL`, or `RESOURCE_EXHAUSTED` if the device is out of memory, with the driver's
    ///     message
    void copyFromHost(MemorySegment source, long target);

    /// Queues a copy between two device addresses.
    ///
    /// @param source the device address of the first byte to read
    /// @param target the device address of the first byte to write
    /// @param bytes 0 or more
    /// @throws IllegalArgumentException if `bytes` is negative
    /// @throws IllegalStateException if this stream is closed
    /// @throws TransportException `INTERNAL`, or `RESOURCE_EXHAUSTED` if the device is out of memory, with the driver's
    ///     message
    void copy(long source, long target, long bytes);

    /// Makes all work queued from now on wait for `event`, even if the event is closed meanwhile. The call itself does
    /// not wait.
    ///
    /// @throws IllegalArgumentException if `event` belongs to another kind of device
    /// @throws IllegalStateException if this stream or `event` is closed
    /// @throws TransportException `INTERNAL` with the driver's message
    void await(DeviceEvent event);

    /// Returns an event that is reached when all work queued before is done. The caller closes the event.
    ///
    /// @throws IllegalStateException if this stream is closed
    /// @throws TransportException `INTERNAL`, or `RESOURCE_EXHAUSTED` if the device is out of memory, with the driver's
    ///     message
    DeviceEvent record();

    /// Closes this stream for further work and returns at once. Queued work still completes before the driver releases
    /// the stream. The second and later calls do nothing.
    @Override
    void close();
}
