package io.tensorferry.verbs.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/// Groups memory regions and queue pairs (`ibv_pd`): a queue pair can access only regions of its domain.
///
/// Threading: any thread.
public interface ProtectionDomain extends AutoCloseable {
    /// The smallest page size of any supported machine, in bytes.
    long SMALLEST_PAGE = 4096;

    /// Allocates memory that suits this device, to be registered with it. Any other off-heap memory can be registered
    /// as well.
    ///
    /// @param arena the lifetime of the memory; not the global arena
    /// @param bytes 1 or more
    /// @param alignment a power of two, at most [#SMALLEST_PAGE]
    /// @return zeroed memory
    default MemorySegment allocate(Arena arena, long bytes, long alignment) {
        return arena.allocate(bytes, alignment);
    }

    /// Registers memory with the device. The device may then read it, and `access` grants writes and remote access.
    ///
    /// @param memory off-heap memory of at least one byte, accessible from every thread; the caller keeps it alive
    ///     until the region is closed
    /// @throws IllegalArgumentException if `access` grants remote writes but not local ones, or the memory is empty or
    ///     on the heap
    /// @throws VerbsException if the device rejects the registration, for example because the memory cannot be pinned
    MemoryRegion register(MemorySegment memory, Set<AccessFlag> access);

    /// Registers memory that another driver exports as a dmabuf, for example accelerator memory.
    ///
    /// @param fileDescriptor the dmabuf's file descriptor; the caller may close it once this method has returned
    /// @param offset byte offset of the region in the dmabuf
    /// @param length bytes, at least 1
    /// @param address the address of the region's first byte in work requests; `address` and `offset` must have the
    ///     same offset within a page
    /// @throws IllegalArgumentException if a number is out of range, or `access` grants remote writes but not local
    ///     ones
    /// @throws VerbsException EINVAL if `access` contains MW_BIND; EOPNOTSUPP if the device or its driver does not
    ///     support dmabufs; otherwise the device's error
    default MemoryRegion registerDmabuf(
            int fileDescriptor, long offset, long length, long address, Set<AccessFlag> access) {
        checkDmabuf(fileDescriptor, offset, length, address, access);
        throw new VerbsException("ibv_reg_dmabuf_mr", VerbsException.EOPNOTSUPP, "this device does not import dmabufs");
    }

    /// Registers memory outside this process' address space that the device's driver resolves by address, for example
    /// accelerator memory if the kernel has the matching peer-memory module.
    ///
    /// @param length bytes, at least 1
    /// @throws IllegalArgumentException if a number is out of range, or `access` grants remote writes but not local
    ///     ones
    /// @throws VerbsException EOPNOTSUPP if the device does not support such memory; otherwise the device's error
    default MemoryRegion registerAddress(long address, long length, Set<AccessFlag> access) {
        checkAddress(address, length, access);
        throw new VerbsException(
                "ibv_reg_mr", VerbsException.EOPNOTSUPP, "this device cannot register memory of others by address");
    }

    /// Allocates an unbound memory window of type 2.
    ///
    /// @throws VerbsException EOPNOTSUPP if the device does not support memory windows, see
    ///     [DeviceAttributes#hasMemoryWindows()]; otherwise the device's error
    default MemoryWindow allocateWindow() {
        throw new VerbsException(
                "ibv_alloc_mw", VerbsException.EOPNOTSUPP, "this device has no memory windows of type 2");
    }

    /// Creates a reliable-connected queue pair in state RESET.
    ///
    /// @throws VerbsException if the device rejects the call
    QueuePair createQueuePair(QueuePairOptions options);

    /// Validates the arguments of [#register]; for implementations.
    ///
    /// @throws IllegalArgumentException under the conditions of [#register]
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

    /// Validates the arguments of [#registerDmabuf]; for implementations. The kernel does not support memory windows on
    /// dmabuf regions on any device (`UVERBS_METHOD_REG_DMABUF_MR` has no such access flag).
    ///
    /// @throws IllegalArgumentException under the conditions of [#registerDmabuf]
    /// @throws VerbsException under the conditions of [#registerDmabuf]
    static void checkDmabuf(int fileDescriptor, long offset, long length, long address, Set<AccessFlag> access) {
        if (fileDescriptor < 0 || offset < 0 || length < 1 || offset > Long.MAX_VALUE - length) {
            throw new IllegalArgumentException(
                    "a dmabuf's descriptor and offset must be 0 or more, its length 1 or more,"
                            + " and its end below 2^63: " + fileDescriptor + ", " + offset + ", " + length);
        }
        if ((address - offset & SMALLEST_PAGE - 1) != 0) {
            throw new IllegalArgumentException("the address %#x and the offset %#x must have the same offset in a page"
                    .formatted(address, offset));
        }
        checkAccess(access);
        if (access.contains(AccessFlag.MW_BIND)) {
            throw new VerbsException(
                    "ibv_reg_dmabuf_mr",
                    VerbsException.EINVAL,
                    "memory windows, which RDMA_RKEY_SCOPE=request needs, cannot be bound to a dmabuf");
        }
    }

    /// Validates the arguments of [#registerAddress]; for implementations.
    ///
    /// @throws IllegalArgumentException under the conditions of [#registerAddress]
    static void checkAddress(long address, long length, Set<AccessFlag> access) {
        if (address < 1 || length < 1 || address > Long.MAX_VALUE - length) {
            throw new IllegalArgumentException(
                    "address and length must be 1 or more, and the end below 2^63: %#x, %d".formatted(address, length));
        }
        checkAccess(access);
    }

    /// @throws IllegalArgumentException if `access` grants remote writes but not local ones
    static void checkAccess(Set<AccessFlag> access) {
        if (access.contains(AccessFlag.REMOTE_WRITE) && !access.contains(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException("REMOTE_WRITE needs LOCAL_WRITE");
        }
    }

    /// @throws VerbsException if regions, windows or queue pairs of this domain are still open
    @Override
    void close();
}
