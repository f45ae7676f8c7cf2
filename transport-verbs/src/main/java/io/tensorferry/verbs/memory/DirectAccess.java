package io.tensorferry.verbs.memory;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DmaBuf;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.VerbsException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// How an RDMA device accesses an accelerator's memory directly, or why it cannot, as found by a trial registration.
///
/// Threading: immutable. Registering takes milliseconds.
public sealed interface DirectAccess {
    /// The size of the largest GPU page, so that the trial shares no page with other memory.
    long TRIAL_BYTES = 2L << 20;

    /// The accelerator exports its memory as a dmabuf, which the device's driver supports.
    ///
    /// @param takesWrites whether peers may write to the memory, because the transport can determine when the writes
    ///     are visible
    record ByDmabuf(boolean takesWrites) implements DirectAccess {
        @Override
        public MemoryRegion register(
                ProtectionDomain domain, Accelerator accelerator, long address, long bytes, Set<AccessFlag> access) {
            accelerator.prepareForNic(address, bytes);
            // The device's driver keeps a reference to the memory, not to this file descriptor.
            try (DmaBuf file = accelerator.export(address, bytes)) {
                return domain.registerDmabuf(
                        file.fileDescriptor(), file.offset(), bytes, address, allowed(access, takesWrites));
            }
        }

        @Override
        public String toString() {
            return name() + restriction(takesWrites);
        }
    }

    /// Like [ByDmabuf], for memory that peers reach through memory windows only (`RDMA_RKEY_SCOPE=request`). A dmabuf
    /// region does not support memory windows, so no peer gets an rkey and the memory is only sent from.
    record ToSendByDmabuf() implements DirectAccess {
        @Override
        public boolean takesWrites() {
            return false;
        }

        @Override
        public MemoryRegion register(
                ProtectionDomain domain, Accelerator accelerator, long address, long bytes, Set<AccessFlag> access) {
            Set<AccessFlag> left = EnumSet.noneOf(AccessFlag.class);
            left.addAll(allowed(access, false));
            left.remove(AccessFlag.MW_BIND);
            return new ByDmabuf(false).register(domain, accelerator, address, bytes, left);
        }

        @Override
        public String toString() {
            return name() + ", for sending only: RDMA_RKEY_SCOPE=request needs memory windows, which no dmabuf has";
        }
    }

    /// The device's driver resolves the memory by its address.
    ///
    /// @param takesWrites whether peers may write to the memory, because the transport can determine when the writes
    ///     are visible
    record ByAddress(boolean takesWrites) implements DirectAccess {
        @Override
        public MemoryRegion register(
                ProtectionDomain domain, Accelerator accelerator, long address, long bytes, Set<AccessFlag> access) {
            accelerator.prepareForNic(address, bytes);
            return domain.registerAddress(address, bytes, allowed(access, takesWrites));
        }

        @Override
        public String toString() {
            return name() + restriction(takesWrites);
        }
    }

    /// No direct access.
    ///
    /// @param reasons the drivers' error for each way that was tried
    record Refused(List<String> reasons) implements DirectAccess {
        public Refused {
            reasons = List.copyOf(reasons);
        }

        @Override
        public boolean isPossible() {
            return false;
        }

        @Override
        public boolean takesWrites() {
            return false;
        }

        @Override
        public MemoryRegion register(
                ProtectionDomain domain, Accelerator accelerator, long address, long bytes, Set<AccessFlag> access) {
            throw new TransportException(
                    StatusCode.FAILED_PRECONDITION,
                    "memory of " + accelerator + " cannot be registered: " + String.join("; ", reasons));
        }

        @Override
        public String toString() {
            return name() + ": " + String.join("; ", reasons);
        }
    }

    /// Whether the device can at least read the memory.
    default boolean isPossible() {
        return true;
    }

    /// Whether peers may also write the memory. If not, tensors can be sent from it but not received into it.
    boolean takesWrites();

    /// Returns `by dmabuf`, `by address` or `no`.
    default String name() {
        return switch (this) {
            case ByDmabuf _, ToSendByDmabuf _ -> "by dmabuf";
            case ByAddress _ -> "by address";
            case Refused _ -> "no";
        };
    }

    /// Registers memory in this way. The caller closes the region before it frees the memory.
    ///
    /// @param access requested access; write access is dropped where writes are not possible
    /// @throws IllegalArgumentException if the bytes span several allocations
    /// @throws TransportException the accelerator's error; `FAILED_PRECONDITION` without direct access
    /// @throws VerbsException the device's error
    MemoryRegion register(
            ProtectionDomain domain, Accelerator accelerator, long address, long bytes, Set<AccessFlag> access);

    /// Tries direct access for memory that peers write.
    static DirectAccess tryOut(ProtectionDomain domain, Accelerator accelerator) {
        return tryOut(domain, accelerator, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    }

    /// Allocates accelerator memory, tries to register it in each way in turn, and frees it.
    ///
    /// @throws VerbsException if the region cannot be deregistered; its memory is not freed then
    static DirectAccess tryOut(ProtectionDomain domain, Accelerator accelerator, Set<AccessFlag> access) {
        DeviceMemory memory;
        try {
            memory = accelerator.allocate(TRIAL_BYTES);
        } catch (TransportException e) {
            return new Refused(List.of("cannot allocate memory for the trial: " + e.reasonWithDetails()));
        }
        boolean takesWrites = accelerator.nicWrites() != NicWrites.UNUSABLE;
        List<DirectAccess> ways = new ArrayList<>(List.of(new ByDmabuf(takesWrites), new ByAddress(takesWrites)));
        if (access.contains(AccessFlag.MW_BIND)) {
            ways.add(new ToSendByDmabuf());
        }
        List<String> reasons = new ArrayList<>();
        for (DirectAccess way : ways) {
            MemoryRegion region;
            try {
                region = way.register(domain, accelerator, memory.address(), memory.byteSize(), access);
            } catch (TransportException e) {
                reasons.add(attempt(way) + ": " + e.reasonWithDetails());
                continue;
            } catch (VerbsException | IllegalArgumentException e) {
                reasons.add(attempt(way) + ": " + e.getMessage());
                continue;
            }
            region.close();
            memory.close();
            return way;
        }
        memory.close();
        return new Refused(reasons);
    }

    private static String attempt(DirectAccess way) {
        return way instanceof ToSendByDmabuf ? "to send by dmabuf" : way.name();
    }

    private static Set<AccessFlag> allowed(Set<AccessFlag> access, boolean takesWrites) {
        if (takesWrites) {
            return access;
        }
        Set<AccessFlag> left = EnumSet.noneOf(AccessFlag.class);
        left.addAll(access);
        left.remove(AccessFlag.LOCAL_WRITE);
        left.remove(AccessFlag.REMOTE_WRITE);
        return left;
    }

    private static String restriction(boolean takesWrites) {
        return takesWrites ? "" : ", for reading only: it cannot be known when a NIC's writes are visible";
    }
}
