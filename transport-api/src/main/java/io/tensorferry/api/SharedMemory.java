package io.tensorferry.api;

import io.tensorferry.api.thread.TransportThread;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The reference-counted memory of a tensor, shared by its handles; freed exactly once, when the last handle is closed.
final class SharedMemory {
    private final Device device;
    private final long address;
    private final long byteSize;
    private final @Nullable MemorySegment segment;
    private final Runnable onFree;
    private final AtomicInteger handles = new AtomicInteger(1);
    private volatile @Nullable DeviceEvent ready;

    private SharedMemory(Device device, long address, long byteSize, @Nullable MemorySegment segment, Runnable onFree) {
        this.device = device;
        this.address = address;
        this.byteSize = byteSize;
        this.segment = segment;
        this.onFree = onFree;
    }

    static SharedMemory ofHost(MemorySegment segment, Runnable onFree) {
        return new SharedMemory(Device.HOST, segment.address(), segment.byteSize(), segment, onFree);
    }

    static SharedMemory of(Accelerator device, long address, long byteSize, Runnable onFree) {
        return new SharedMemory(device, address, byteSize, null, onFree);
    }

    Device device() {
        return device;
    }

    long address() {
        return address;
    }

    long byteSize() {
        return byteSize;
    }

    /// @throws UnsupportedOperationException if the memory is not host memory
    MemorySegment segment() {
        MemorySegment host = segment;
        if (host == null) {
            throw new UnsupportedOperationException(
                    "the memory is on " + device + ", which the processor cannot reach; copy it with a DeviceStream");
        }
        return host;
    }

    /// Takes over the event that is reached when the content is complete; closes the previous event, if any.
    void readyAfter(DeviceEvent event) {
        DeviceEvent before = ready;
        ready = event;
        if (before != null && !before.equals(event)) {
            before.close();
        }
    }

    @Nullable
    DeviceEvent ready() {
        return ready;
    }

    /// Adds one handle, unless the last handle is already closed; returns whether it was added.
    boolean retain() {
        int before = handles.getAndUpdate(count -> count == 0 ? 0 : count + 1);
        return before > 0;
    }

    void release() {
        if (handles.decrementAndGet() == 0) {
            try {
                DeviceEvent event = ready;
                if (event != null) {
                    TransportThread.release(event::close);
                }
            } finally {
                TransportThread.release(onFree);
            }
        }
    }
}
