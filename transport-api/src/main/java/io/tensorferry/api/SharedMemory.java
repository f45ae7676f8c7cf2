package io.tensorferry.api;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The reference-counted memory behind the handles of one tensor: freed, exactly once, when the last handle is
/// closed.
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

    /// @throws UnsupportedOperationException if it is not in host memory
    MemorySegment segment() {
        MemorySegment host = segment;
        if (host == null) {
            throw new UnsupportedOperationException(
                    "the memory is on " + device + ", which the processor cannot reach; copy it with a DeviceStream");
        }
        return host;
    }

    /// Takes over the event that says when the content is there.
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

    /// Counts one handle more, unless the last was closed already; returns whether it did.
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
