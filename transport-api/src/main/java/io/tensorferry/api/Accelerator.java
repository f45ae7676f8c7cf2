package io.tensorferry.api;

import java.lang.foreign.MemorySegment;

/// A device whose memory the processor reaches only by copies: a GPU.
///
/// The transport knows accelerators by this interface alone. It never calls one on its completion loop, because a call
/// may wait for a lock of the driver.
///
/// Addresses of an accelerator's memory are numbers that no address of this process' own memory equals.
///
/// Threading: any thread. Whoever opened it closes it, when nothing uses it any more.
public interface Accelerator extends Device, AutoCloseable {
    @Override
    default boolean hostAccessible() {
        return false;
    }

    /// What people call it, as `NVIDIA H200, 0000:1b:00.0`.
    String description();

    /// Memory of this device, aligned to 256 bytes. The caller closes it.
    ///
    /// @param bytes 1 or more
    /// @throws IllegalArgumentException if `bytes` is 0 or less
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the device has no memory left
    DeviceMemory allocate(long bytes);

    /// A stream of its own, whose work no other stream waits for. The caller closes it.
    ///
    /// @throws TransportException `INTERNAL` with what the driver says
    DeviceStream openStream();

    /// Locks host memory in place and tells the driver, so that copies from it and to it run by themselves. The memory
    /// stays alive until what this returns is closed.
    ///
    /// @throws TransportException `RESOURCE_EXHAUSTED` if it cannot be locked
    HostPin pin(MemorySegment hostMemory);

    /// Tells the driver that a NIC is going to reach a range of this device's memory by itself, however it finds it, so
    /// that what the driver copies there by calls that wait does not overtake the NIC. Before the NIC's driver is told.
    ///
    /// @throws IllegalArgumentException if the range is not all of one allocation
    /// @throws TransportException `UNIMPLEMENTED`, with the reason, where a NIC must not reach it
    default void prepareForNic(long address, long bytes) {}

    /// A file descriptor by which another driver, that of a NIC, finds a range of this device's memory. The caller
    /// closes it, when the other has taken it or not.
    ///
    /// @throws TransportException `UNIMPLEMENTED`, with the reason, where there is no such thing
    DmaBuf export(long address, long bytes);

    /// Whether what a NIC has written into this device's memory is there for work that is queued afterwards.
    NicWrites nicWrites();

    /// Returns when what a NIC had written before this call is there for work that is queued afterwards. Takes
    /// microseconds.
    ///
    /// @throws TransportException `UNIMPLEMENTED` unless [#nicWrites()] is [NicWrites#AFTER_FLUSH]
    void flushNicWrites();

    /// Ends the use of the device. Its memory, streams, events and pins were closed before. The second and later calls
    /// do nothing.
    @Override
    void close();
}
