package io.tensorferry.verbs.device.software.core;

import io.tensorferry.bindings.MemoryFile;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.support.OpenChildren;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Groups the memory regions, windows and queue pairs that may be used together.
///
/// Threading: any thread.
final class SoftwareProtectionDomain implements ProtectionDomain {
    private static final String REGISTER = "ibv_reg_mr";
    private static final String REGISTER_DMABUF = "ibv_reg_dmabuf_mr";

    private final SoftwareDevice device;
    private final OpenChildren children = new OpenChildren("protection domain");

    SoftwareProtectionDomain(SoftwareDevice device) {
        this.device = device;
    }

    @Override
    public MemorySegment allocate(Arena arena, long bytes, long alignment) {
        return device.allocate(arena, bytes, alignment);
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Set<AccessFlag> access) {
        ProtectionDomain.checkRegistration(memory, access);
        checkSize(REGISTER, memory.byteSize());
        return register(REGISTER, memory, memory.address(), null, access);
    }

    /// Registers memory files of this machine with a fixed size, as simulated accelerators export them. A fixed size
    /// keeps the mapping valid.
    @Override
    public MemoryRegion registerDmabuf(
            int fileDescriptor, long offset, long length, long address, Set<AccessFlag> access) {
        ProtectionDomain.checkDmabuf(fileDescriptor, offset, length, address, access);
        checkSize(REGISTER_DMABUF, length);
        String obstacle = MemoryFile.obstacle();
        if (obstacle != null) {
            throw new VerbsException(REGISTER_DMABUF, VerbsException.EOPNOTSUPP, obstacle);
        }
        // Shared, because the device's loop and the peers' payload access the mapping. It ends with the region.
        Arena mapping = Arena.ofShared();
        try {
            MemorySegment file = map(fileDescriptor, mapping);
            if (length > file.byteSize() - offset) {
                throw new VerbsException(
                        REGISTER_DMABUF,
                        VerbsException.EINVAL,
                        length + " bytes from offset " + offset + " exceed the file of " + file.byteSize());
            }
            return register(REGISTER_DMABUF, file.asSlice(offset, length), address, mapping, access);
        } catch (RuntimeException e) {
            mapping.close();
            throw e;
        }
    }

    private static MemorySegment map(int fileDescriptor, Arena mapping) {
        try {
            int ownProcess = Math.toIntExact(ProcessHandle.current().pid());
            return MemoryFile.open(ownProcess, fileDescriptor, true, mapping);
        } catch (IOException e) {
            throw new VerbsException(
                    REGISTER_DMABUF,
                    VerbsException.EOPNOTSUPP,
                    "this device imports only memory files: " + e.getMessage());
        }
    }

    private void checkSize(String verb, long bytes) {
        if (bytes > device.attributes().maxMemoryRegionBytes()) {
            throw new VerbsException(verb, VerbsException.EINVAL, bytes + " bytes exceed the limit of a memory region");
        }
    }

    private MemoryRegion register(
            String verb, MemorySegment memory, long address, @Nullable Arena mapping, Set<AccessFlag> access) {
        OpenChildren.add(verb, device.regions(), children);
        Set<AccessFlag> granted = access.isEmpty() ? Set.of() : EnumSet.copyOf(access);
        KeyTable keys = device.keys();
        synchronized (keys) {
            var region = new SoftwareMemoryRegion(this, memory, address, mapping, keys.drawKey(), granted);
            keys.add(region);
            return region;
        }
    }

    void deregister(SoftwareMemoryRegion region) {
        if (region.markClosed()) {
            // The loop finishes its current access and begins no other.
            device.loop().awaitAccess();
            children.remove();
            device.regions().remove();
            region.unmap();
        }
    }

    @Override
    public MemoryWindow allocateWindow() {
        OpenChildren.add("ibv_alloc_mw", device.windows(), children);
        KeyTable keys = device.keys();
        synchronized (keys) {
            var window = new SoftwareMemoryWindow(this, keys.drawKey());
            keys.add(window);
            return window;
        }
    }

    /// Waits for the accesses to registered memory that are in progress. On the loop.
    void awaitAccess() {
        device.loop().awaitAccess();
    }

    void deallocate(SoftwareMemoryWindow window) {
        if (window.posted().close()) {
            device.loop().run(window::end);
            // The loop finishes its current access and begins no other.
            device.loop().awaitAccess();
            window.posted().unbound();
            children.remove();
            device.windows().remove();
        }
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        return device.createQueuePair(this, children, options);
    }

    @Override
    public void close() {
        if (children.close("ibv_dealloc_pd")) {
            device.children().remove();
        }
    }
}
