package io.tensorferry.verbs.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/// What memory regions and queue pairs belong to: a queue pair reaches only regions of its own domain.
///
/// Threading: any thread.
public interface ProtectionDomain extends AutoCloseable {
    /// Bytes of the smallest page of any machine.
    long SMALLEST_PAGE = 4096;

    /// Memory that this device works on best, to be registered with it: a source of slabs. Any other off-heap memory
    /// can be registered as well.
    ///
    /// @param arena what the memory lives as long as; not the global one
    /// @param bytes 1 or more
    /// @param alignment a power of two, at most [#SMALLEST_PAGE]
    /// @return zeroed memory
    default MemorySegment allocate(Arena arena, long bytes, long alignment) {
        return arena.allocate(bytes, alignment);
    }

    /// Registers memory with the device, which may then read it and, as `access` says, let it be written or read by
    /// peers.
    ///
    /// @param memory off-heap memory of at least one byte, accessible from every thread; the caller keeps it alive
    ///     until the region is closed
    /// @throws IllegalArgumentException if `access` grants remote writes but not local ones, or the memory is empty
    ///     or on the heap
    /// @throws VerbsException if the device refuses, for example because the memory cannot be pinned
    MemoryRegion register(MemorySegment memory, Set<AccessFlag> access);

    /// Registers memory that another driver exports as a dmabuf, an accelerator's for example.
    ///
    /// @param fileDescriptor the dmabuf's; it may be closed once this returned
    /// @param offset where the region begins in the dmabuf, bytes
    /// @param length bytes, at least 1
    /// @param address the address by which work requests name the region's first byte; `address` and `offset` have the
    ///     same place within a page
    /// @throws IllegalArgumentException if a number is out of range, or `access` grants remote writes but not local
    /// ones
    /// @throws VerbsException EINVAL if `access` has MW_BIND; EOPNOTSUPP if the device or its driver cannot; otherwise
    ///     as it refuses
    default MemoryRegion registerDmabuf(
            int fileDescriptor, long offset, long length, long address, Set<AccessFlag> access) {
        checkDmabuf(fileDescriptor, offset, length, address, access);
        throw new VerbsException(
                "ibv_reg_dmabuf_mr", VerbsException.EOPNOTSUPP, "this device takes no memory of other drivers");
    }

    /// Registers memory that is none of this process and that the device's driver finds by its address alone: an
    /// accelerator's, where the kernel has a module that knows it.
    ///
    /// @param length bytes, at least 1
    /// @throws IllegalArgumentException if a number is out of range, or `access` grants remote writes but not local
    ///     ones
    /// @throws VerbsException EOPNOTSUPP if the device knows no such memory; otherwise as it refuses
    default MemoryRegion registerAddress(long address, long length, Set<AccessFlag> access) {
        checkAddress(address, length, access);
        throw new VerbsException(
                "ibv_reg_mr", VerbsException.EOPNOTSUPP, "this device finds no memory of others by its address");
    }

    /// Makes a memory window of type 2 that is bound to nothing.
    ///
    /// @throws VerbsException EOPNOTSUPP if the device has none, see [DeviceAttributes#hasMemoryWindows()]; otherwise
    ///     as it refuses
    default MemoryWindow allocateWindow() {
        throw new VerbsException(
                "ibv_alloc_mw", VerbsException.EOPNOTSUPP, "this device has no memory windows of type 2");
    }

    /// Makes a reliable-connected queue pair in state RESET.
    ///
    /// @throws VerbsException if the device refuses
    QueuePair createQueuePair(QueuePairOptions options);

    /// What no device registers, for those who implement one.
    ///
    /// @throws IllegalArgumentException as [#register] says
    static void checkRegistration(MemorySegment memory, Set<AccessFlag> access) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new IllegalArgumentException(
                    "only off-heap memory of at least one byte can be registered: " + memory);
        }
        if (memory.isReadOnly() && !access.isEmpty()) {
            throw new IllegalArgumentException("read-only memory cannot be registered for " + access);
        }
        checkAccess(access);
    }

    /// What no device registers of a dmabuf, for those who implement one. The kernel takes no dmabuf for memory windows
    /// (`UVERBS_METHOD_REG_DMABUF_MR` knows no such access), whatever the device.
    ///
    /// @throws IllegalArgumentException as [#registerDmabuf] says
    /// @throws VerbsException the same
    static void checkDmabuf(int fileDescriptor, long offset, long length, long address, Set<AccessFlag> access) {
        if (fileDescriptor < 0 || offset < 0 || length < 1 || offset > Long.MAX_VALUE - length) {
            throw new IllegalArgumentException("a dmabuf's descriptor and offset are 0 or more, its length 1 or more,"
                    + " and its end below 2^63: " + fileDescriptor + ", " + offset + ", " + length);
        }
        if ((address - offset & SMALLEST_PAGE - 1) != 0) {
            throw new IllegalArgumentException("the address %#x and the offset %#x differ in their place within a page"
                    .formatted(address, offset));
        }
        checkAccess(access);
        if (access.contains(AccessFlag.MW_BIND)) {
            throw new VerbsException(
                    "ibv_reg_dmabuf_mr",
                    VerbsException.EINVAL,
                    "a dmabuf takes no memory windows, which RDMA_RKEY_SCOPE=request needs");
        }
    }

    /// What no device registers by its address, for those who implement one.
    ///
    /// @throws IllegalArgumentException as [#registerAddress] says
    static void checkAddress(long address, long length, Set<AccessFlag> access) {
        if (address < 1 || length < 1 || address > Long.MAX_VALUE - length) {
            throw new IllegalArgumentException(
                    "address and length are 1 or more, and the end below 2^63: %#x, %d".formatted(address, length));
        }
        checkAccess(access);
    }

    /// @throws IllegalArgumentException if remote writes are granted and local ones are not
    static void checkAccess(Set<AccessFlag> access) {
        if (access.contains(AccessFlag.REMOTE_WRITE) && !access.contains(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException("REMOTE_WRITE needs LOCAL_WRITE");
        }
    }

    /// @throws VerbsException if regions, windows or queue pairs of this domain are still open
    @Override
    void close();
}
