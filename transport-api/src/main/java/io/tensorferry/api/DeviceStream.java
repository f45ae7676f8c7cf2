package io.tensorferry.api;

import java.lang.foreign.MemorySegment;

/// A queue of an accelerator's work: what is queued in it runs in order. Each call only queues, where the host memory
/// is pinned ([Accelerator#pin]); what is not pinned may have been copied when the call returns.
///
/// A failure may be of work that was queued before: an accelerator tells of it where it is asked next.
///
/// Threading: any thread; calls of one stream one after the other.
public interface DeviceStream extends AutoCloseable {
    Accelerator device();

    /// Copies `target.byteSize()` bytes from an address of the device.
    ///
    /// @throws TransportException `INTERNAL` with what the driver says
    void copyToHost(long source, MemorySegment target);

    /// Copies all of `source` to an address of the device.
    ///
    /// @throws TransportException `INTERNAL` with what the driver says
    void copyFromHost(MemorySegment source, long target);

    /// Copies between two addresses of the device.
    ///
    /// @throws TransportException `INTERNAL` with what the driver says
    void copy(long source, long target, long bytes);

    /// What is queued from now on waits for `event`, also if that is closed meanwhile.
    void await(DeviceEvent event);

    /// An event that is reached when all that was queued before is done. The caller closes it.
    DeviceEvent record();

    /// Nothing more is queued. Returns at once: what is queued is done, and then the stream is given back. The second
    /// and later calls do nothing.
    @Override
    void close();
}
