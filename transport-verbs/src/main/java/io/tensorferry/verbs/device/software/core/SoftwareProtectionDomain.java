package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.OpenChildren;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
/// The regions, windows and queue pairs that may reach each other.
///
/// Threading: any thread.

final class SoftwareProtectionDomain implements ProtectionDomain {
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
        String verb = "ibv_reg_mr";
        ProtectionDomain.checkRegistration(memory, access);
        if (memory.byteSize() > device.attributes().maxMemoryRegionBytes()) {
            throw new VerbsException(
                    verb, VerbsException.EINVAL, memory.byteSize() + " bytes are more than a region holds");
        }
        OpenChildren.add(verb, device.regions(), children);
        Set<AccessFlag> granted = access.isEmpty() ? Set.of() : EnumSet.copyOf(access);
        KeyTable keys = device.keys();
        synchronized (keys) {
            var region = new SoftwareMemoryRegion(this, memory, keys.drawKey(), granted);
            keys.add(region);
            return region;
        }
    }

    void deregister(SoftwareMemoryRegion region) {
        if (region.markClosed()) {
            // The loop finishes the access that it is in the middle of, and begins no other.
            device.loop().awaitAccess();
            children.remove();
            device.regions().remove();
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

    /// Waits for what goes on in registered memory now. On the loop.
    void awaitAccess() {
        device.loop().awaitAccess();
    }

    void deallocate(SoftwareMemoryWindow window) {
        if (window.posted().close()) {
            device.loop().run(window::end);
            // The loop finishes the access that it is in the middle of, and begins no other.
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
