package io.tensorferry.api;

import java.lang.foreign.MemorySegment;

/// A device whose memory the processor accesses only by copies: a GPU.
///
/// The transport uses accelerators only through this interface. It never calls one on its completion loop, because a
/// call may wait for a lock of the driver. Device addresses never equal an address in this process' own memory.
///
/// Threading: any thread. The code that opened an accelerator closes it after its last use.
public interface Accelerator extends Device, AutoCloseable {
    @Override
    default boolean hostAccessible() {
        return false;
    }

    /// The product name and PCI address, as `NVIDIA H200, 0000:1b:00.0`.
    String description();

    /// Allocates memory on this device, aligned to 256 bytes. The caller closes it.
    ///
    /// @param bytes 1 or more
    /// @throws IllegalArgumentException if `bytes` is 0 or less
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the device has no memory left, `INTERNAL` with the driver's
    ///     message if the driver fails
    DeviceMemory allocate(long bytes);

    /// Opens a new stream that is independent of all other streams. The caller closes it.
    ///
    /// @throws TransportException `INTERNAL`, or `RESOURCE_EXHAUSTED` if the device is out of memory, with the driver's
    ///     message
    DeviceStream openStream();

    /// Page-locks host memory and registers it with the driver, so that copies from and to it run asynchronously. The
    /// memory must stay alive until the returned pin is closed.
    ///
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the memory cannot be locked
    HostPin pin(MemorySegment hostMemory);

    /// Prepares a range of this device's memory for direct access by a NIC. Call it before the range is registered with
    /// the NIC. It makes the driver's synchronous copies to the range ordered with the NIC's accesses.
    ///
    /// @throws IllegalArgumentException if the range is not contained in one allocation
    /// @throws TransportException `UNIMPLEMENTED`, with the reason, if a NIC must not access the range
    default void prepareForNic(long address, long bytes) {}

    /// Exports a range of this device's memory as a dmabuf file descriptor, by which another driver, such as a NIC's,
    /// imports it. The caller closes it after the import, whether the import succeeded or not.
    ///
    /// @throws TransportException `UNIMPLEMENTED`, with the reason, if the device or the driver cannot export the range
    DmaBuf export(long address, long bytes);

    /// When a NIC's writes to this device's memory become visible to work that is queued after the NIC's completion.
    NicWrites nicWrites();

    /// Makes all NIC writes that completed before this call visible to work that is queued afterwards, and returns
    /// then. Takes microseconds.
    ///
    /// @throws TransportException `UNIMPLEMENTED` unless [#nicWrites()] is [NicWrites#AFTER_FLUSH]; `INTERNAL` with the
    ///     driver's message if the flush fails
    void flushNicWrites();

    /// Releases the device. Close its memory, streams, events and pins first. The second and later calls do nothing.
    @Override
    void close();
}
