package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A protection domain that registers memory of accelerators in the ways that a test allows, and records the
/// registrations.
public final class RegisteringDomain implements ProtectionDomain {
    /// The reason to refuse a registration; null to accept it.
    public @Nullable VerbsException dmabufRefusal;

    public @Nullable VerbsException addressRefusal;
    public @Nullable VerbsException deregisterRefusal;
    /// Called for each region before it ends.
    public Consumer<MemoryRegion> ending = _ -> {};

    public final List<Region> open = new ArrayList<>();
    /// As `dmabuf 0x1000+4096 [LOCAL_WRITE]`.
    public final List<String> calls = new ArrayList<>();

    public static VerbsException refusal(String verb, int errno) {
        return new VerbsException(verb, errno, "said the driver");
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Set<AccessFlag> access) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemoryRegion registerDmabuf(
            int fileDescriptor, long offset, long length, long address, Set<AccessFlag> access) {
        ProtectionDomain.checkDmabuf(fileDescriptor, offset, length, address, access);
        return register("dmabuf", dmabufRefusal, address, length, access);
    }

    @Override
    public MemoryRegion registerAddress(long address, long length, Set<AccessFlag> access) {
        ProtectionDomain.checkAddress(address, length, access);
        return register("address", addressRefusal, address, length, access);
    }

    private MemoryRegion register(
            String how, @Nullable VerbsException refusal, long address, long length, Set<AccessFlag> access) {
        calls.add("%s %#x+%d %s".formatted(how, address, length, access));
        if (refusal != null) {
            throw refusal;
        }
        var region = new Region(address, length);
        open.add(region);
        return region;
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}

    public final class Region implements MemoryRegion {
        private final long address;
        private final long byteSize;

        Region(long address, long byteSize) {
            this.address = address;
            this.byteSize = byteSize;
        }

        @Override
        public long address() {
            return address;
        }

        @Override
        public long byteSize() {
            return byteSize;
        }

        @Override
        public int localKey() {
            return 1;
        }

        @Override
        public int remoteKey() {
            return 2;
        }

        @Override
        public void close() {
            if (deregisterRefusal != null) {
                throw deregisterRefusal;
            }
            ending.accept(this);
            open.remove(this);
        }
    }
}
