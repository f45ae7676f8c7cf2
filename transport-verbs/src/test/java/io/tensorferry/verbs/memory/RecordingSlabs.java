package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// Slabs with addresses but no memory, like those of a device that the processor cannot access. Records the calls
/// for them.
public final class RecordingSlabs implements SlabSource {
    /// Far from all addresses of this process.
    static final long FIRST_ADDRESS = 1L << 60;

    private final boolean registered;
    public final List<String> events = new CopyOnWriteArrayList<>();
    volatile @Nullable RuntimeException openFailure;
    volatile @Nullable RuntimeException deregisterFailure;
    volatile @Nullable RuntimeException freeFailure;
    private long nextAddress = FIRST_ADDRESS;

    /// @param registered whether they are registered with the RDMA device
    public RecordingSlabs(boolean registered) {
        this.registered = registered;
    }

    @Override
    public SlabStorage open(long bytes) {
        fail(openFailure);
        long address = nextAddress;
        nextAddress += 2 * bytes;
        events.add("opened " + bytes);
        return new Storage(address, bytes);
    }

    private static void fail(@Nullable RuntimeException failure) {
        if (failure != null) {
            throw failure;
        }
    }

    private final class Storage implements SlabStorage {
        private final long address;
        private final long bytes;
        private final @Nullable Region region;

        Storage(long address, long bytes) {
            this.address = address;
            this.bytes = bytes;
            this.region = registered ? new Region(address, bytes) : null;
        }

        @Override
        public long address() {
            return address;
        }

        @Override
        public long byteSize() {
            return bytes;
        }

        @Override
        public @Nullable MemorySegment segment() {
            return null;
        }

        @Override
        public @Nullable MemoryRegion region() {
            return region;
        }

        @Override
        public void deregister() {
            fail(deregisterFailure);
            events.add("deregistered " + bytes);
        }

        @Override
        public void free() {
            fail(freeFailure);
            events.add("freed " + bytes);
        }
    }

    private record Region(long address, long byteSize) implements MemoryRegion {
        @Override
        public int localKey() {
            return 7;
        }

        @Override
        public int remoteKey() {
            return -7;
        }

        @Override
        public void close() {
            throw new AssertionError("the slab ends its registration itself");
        }
    }
}
