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

/// How a device reaches an accelerator's memory by itself, or why it does not: what came of registering some of it.
///
/// Threading: immutable. Registering takes milliseconds.
public sealed interface DirectAccess {
    /// As large as the largest page of a GPU, so that it shares none with memory of others.
    long TRIAL_BYTES = 2L << 20;

    /// The accelerator exports its memory, and the device's driver takes it.
    ///
    /// @param takesWrites whether peers may write there: what they write can be known to be there
    record ByDmabuf(boolean takesWrites) implements DirectAccess {
        @Override
        public MemoryRegion register(
                ProtectionDomain domain, Accelerator accelerator, long address, long bytes, Set<AccessFlag> access) {
            accelerator.prepareForNic(address, bytes);
            // The device's driver holds on to the memory, not to this file.
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

    /// The same, of memory that peers reach by memory windows alone (`RDMA_RKEY_SCOPE=request`): a dmabuf takes none,
    /// so
    /// no peer is given a key to it.
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
            return name() + ", for sending only: a dmabuf takes no memory windows, which RDMA_RKEY_SCOPE=request needs";
        }
    }

    /// The device's driver finds the memory by its address.
    ///
    /// @param takesWrites whether peers may write there: what they write can be known to be there
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

    /// Not at all.
    ///
    /// @param reasons of each way, as the drivers gave them
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

    /// Whether the device reads the memory at least.
    default boolean isPossible() {
        return true;
    }

    /// Whether peers may write there, too. Where not, tensors can be sent from the memory and not be received in it.
    boolean takesWrites();

    /// `by dmabuf`, `by address` or `no`.
    default String name() {
        return switch (this) {
            case ByDmabuf _, ToSendByDmabuf _ -> "by dmabuf";
            case ByAddress _ -> "by address";
            case Refused _ -> "no";
        };
    }

    /// Registers memory in this way. The caller closes the region before the memory is freed.
    ///
    /// @param access of which what lets somebody write is left out where nobody may
    /// @throws IllegalArgumentException if the bytes are not all of one allocation
    /// @throws TransportException what the accelerator says; `FAILED_PRECONDITION` where there is no way
    /// @throws VerbsException what the device says
    MemoryRegion register(
            ProtectionDomain domain, Accelerator accelerator, long address, long bytes, Set<AccessFlag> access);

    /// Finds it out for memory that peers write.
    static DirectAccess tryOut(ProtectionDomain domain, Accelerator accelerator) {
        return tryOut(domain, accelerator, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    }

    /// Registers a piece of the accelerator's memory, in one way after the other, and frees it again.
    ///
    /// @throws VerbsException if what was registered cannot be deregistered; its memory is not freed then
    static DirectAccess tryOut(ProtectionDomain domain, Accelerator accelerator, Set<AccessFlag> access) {
        DeviceMemory memory;
        try {
            memory = accelerator.allocate(TRIAL_BYTES);
        } catch (TransportException e) {
            return new Refused(List.of("no memory to try it with: " + e.reasonWithDetails()));
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
        return takesWrites ? "" : ", for reading only: nobody can know when what a NIC has written is there";
    }
}
