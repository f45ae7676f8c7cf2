package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A protection domain that registers nothing and records everything: the current registrations and their
/// access.
public final class RecordingDomain implements ProtectionDomain {
    private final AtomicInteger nextKey = new AtomicInteger(100);
    private final List<Region> open = new CopyOnWriteArrayList<>();
    private final AtomicInteger registrations = new AtomicInteger();
    volatile @Nullable RuntimeException registerFailure;
    volatile @Nullable RuntimeException deregisterFailure;
    /// The limit of bytes registered at a time.
    volatile long lockableBytes = Long.MAX_VALUE;

    List<Region> open() {
        return open;
    }

    int registrations() {
        return registrations.get();
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Set<AccessFlag> access) {
        RuntimeException failure = registerFailure;
        if (failure != null) {
            throw failure;
        }
        long locked = open.stream().mapToLong(Region::byteSize).sum();
        if (memory.byteSize() > lockableBytes - locked) {
            throw new VerbsException("ibv_reg_mr", VerbsException.ENOMEM, "too much for the limit");
        }
        registrations.incrementAndGet();
        var region = new Region(memory, Set.copyOf(access), nextKey.getAndIncrement());
        open.add(region);
        return region;
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new AssertionError("the memory does not own the domain");
    }

    final class Region implements MemoryRegion {
        private final MemorySegment memory;
        private final Set<AccessFlag> access;
        private final int key;

        Region(MemorySegment memory, Set<AccessFlag> access, int key) {
            this.memory = memory;
            this.access = access;
            this.key = key;
        }

        MemorySegment memory() {
            return memory;
        }

        Set<AccessFlag> access() {
            return access;
        }

        @Override
        public long address() {
            return memory.address();
        }

        @Override
        public long byteSize() {
            return memory.byteSize();
        }

        @Override
        public int localKey() {
            return key;
        }

        @Override
        public int remoteKey() {
            return -key;
        }

        @Override
        public void close() {
            RuntimeException failure = deregisterFailure;
            if (failure != null) {
                throw failure;
            }
            if (!memory.scope().isAlive()) {
                throw new AssertionError("the memory was freed before it was deregistered");
            }
            if (!open.remove(this)) {
                throw new AssertionError("deregistered twice");
            }
        }
    }
}
