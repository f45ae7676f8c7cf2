package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.ErrnoVerbs;
import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.WindowVerbs;
import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.ibverbs.post.AccessFlags;
import io.tensorferry.verbs.device.support.OpenChildren;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/// An `ibv_pd`.
///
/// Threading: any thread.
final class IbverbsProtectionDomain implements ProtectionDomain {
    private static final String REGISTER = "ibv_reg_mr";
    private static final String REGISTER_DMABUF = "ibv_reg_dmabuf_mr";

    private final IbverbsDevice device;
    private final MemorySegment domain;
    private final OpenChildren children = new OpenChildren("protection domain");
    private final Map<Integer, MemoryRegion> regionsByLocalKey = new ConcurrentHashMap<>();

    IbverbsProtectionDomain(IbverbsDevice device) {
        this.device = device;
        try (var call = new NativeCall()) {
            domain = VerbsCheck.pointerOrErrno(
                    "ibv_alloc_pd",
                    ErrnoVerbs.allocPd(call, device.context()),
                    call,
                    () -> "no protection domain on " + device.name());
        }
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Set<AccessFlag> access) {
        ProtectionDomain.checkRegistration(memory, access);
        checkSize(REGISTER, memory.byteSize());
        int flags = AccessFlags.bits(access, device.options().relaxedOrdering().ofHostMemory());
        return register(
                REGISTER,
                memory.address(),
                memory.byteSize(),
                access,
                call -> VerbsCheck.pointerOrErrno(
                        REGISTER,
                        ErrnoVerbs.regMr(call, domain, memory, flags),
                        call,
                        () -> LockedMemory.explain(call.errno(), memory.byteSize(), device.name())));
    }

    @Override
    public MemoryRegion registerDmabuf(
            int fileDescriptor, long offset, long length, long address, Set<AccessFlag> access) {
        ProtectionDomain.checkDmabuf(fileDescriptor, offset, length, address, access);
        checkSize(REGISTER_DMABUF, length);
        if (!device.library().has(REGISTER_DMABUF)) {
            throw new VerbsException(
                    REGISTER_DMABUF,
                    VerbsException.EOPNOTSUPP,
                    "this libibverbs lacks the function; rdma-core 34 or newer is needed");
        }
        int flags = AccessFlags.bits(access, device.options().relaxedOrdering().ofAccelerators());
        return register(
                REGISTER_DMABUF,
                address,
                length,
                access,
                call -> VerbsCheck.pointerOrErrno(
                        REGISTER_DMABUF,
                        ErrnoVerbs.regDmabufMr(call, domain, offset, length, address, fileDescriptor, flags),
                        call,
                        () -> length + " bytes from " + offset + " of the dmabuf " + fileDescriptor + " on "
                                + device.name()));
    }

    @Override
    public MemoryRegion registerAddress(long address, long length, Set<AccessFlag> access) {
        ProtectionDomain.checkAddress(address, length, access);
        checkSize(REGISTER, length);
        int flags = AccessFlags.bits(access, device.options().relaxedOrdering().ofAccelerators());
        return register(
                REGISTER,
                address,
                length,
                access,
                call -> VerbsCheck.pointerOrErrno(
                        REGISTER,
                        ErrnoVerbs.regMr(call, domain, address, length, flags),
                        call,
                        () -> "%d bytes at %#x, memory of another driver, on %s"
                                .formatted(length, address, device.name())));
    }

    private MemoryRegion register(
            String verb,
            long address,
            long length,
            Set<AccessFlag> access,
            Function<NativeCall, MemorySegment> registration) {
        OpenChildren.add(verb, device.regions(), children);
        try (var call = new NativeCall()) {
            var region = new IbverbsMemoryRegion(this, registration.apply(call), address, length, access);
            regionsByLocalKey.put(region.localKey(), region);
            return region;
        } catch (RuntimeException e) {
            forgetRegion();
            throw e;
        }
    }

    private void checkSize(String verb, long length) {
        if (length > device.attributes().maxMemoryRegionBytes()) {
            throw new VerbsException(
                    verb,
                    VerbsException.EINVAL,
                    length + " bytes exceed the " + device.attributes().maxMemoryRegionBytes()
                            + " bytes of a memory region of " + device.name());
        }
    }

    /// Whether a memory region with this lkey contains the whole range.
    boolean covers(int localKey, long address, long length) {
        MemoryRegion region = regionsByLocalKey.get(localKey);
        return region != null && region.contains(address, length);
    }

    /// Removes an lkey before its region is deregistered, because the device may then reuse the lkey.
    void hide(int localKey) {
        regionsByLocalKey.remove(localKey);
    }

    void forgetRegion() {
        children.remove();
        device.regions().remove();
    }

    @Override
    public MemoryWindow allocateWindow() {
        String verb = "ibv_alloc_mw";
        if (!device.attributes().hasMemoryWindows()) {
            throw new VerbsException(
                    verb, VerbsException.EOPNOTSUPP, device.name() + " has no memory windows of type 2");
        }
        OpenChildren.add(verb, device.windows(), children);
        try (var call = new NativeCall()) {
            return new IbverbsMemoryWindow(
                    this,
                    VerbsCheck.pointerOrErrno(
                            verb,
                            WindowVerbs.alloc(call, domain, Ibverbs.IBV_MW_TYPE_2()),
                            call,
                            () -> "a memory window of " + device.name()));
        } catch (RuntimeException e) {
            forgetWindow();
            throw e;
        }
    }

    void forgetWindow() {
        children.remove();
        device.windows().remove();
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        return IbverbsQueuePair.create(device, this, options);
    }

    OpenChildren children() {
        return children;
    }

    MemorySegment pointer() {
        return domain;
    }

    @Override
    public void close() {
        String verb = "ibv_dealloc_pd";
        if (children.close(verb)) {
            device.children().remove();
            VerbsCheck.returnedErrno(
                    verb, Ibverbs.ibv_dealloc_pd(domain), () -> "a protection domain of " + device.name());
        }
    }
}
