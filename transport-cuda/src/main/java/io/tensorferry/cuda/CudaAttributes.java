package io.tensorferry.cuda;

import io.tensorferry.api.NicWrites;
import io.tensorferry.bindings.cuda.CUuuid;
import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.UUID;

/// Queries the attributes of a device. No context is needed.
///
/// Threading: any thread; no state.
final class CudaAttributes {
    private static final int NAME_BYTES = 256;
    // Twelve characters, or sixteen if PCI domains have eight digits.
    private static final int PCI_ADDRESS_BYTES = 32;
    private static final ValueLayout.OfLong BIG_ENDIAN_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private CudaAttributes() {}

    static CudaDescription describe(int ordinal) {
        int device = device(ordinal);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(NAME_BYTES);
            CudaCheck.ok("cuDeviceGetName", Cuda.cuDeviceGetName(name, NAME_BYTES, device));
            MemorySegment uuid = CUuuid.allocate(arena);
            CudaCheck.ok("cuDeviceGetUuid", Cuda.cuDeviceGetUuid_v2(uuid, device));
            MemorySegment pciAddress = arena.allocate(PCI_ADDRESS_BYTES);
            CudaCheck.ok("cuDeviceGetPCIBusId", Cuda.cuDeviceGetPCIBusId(pciAddress, PCI_ADDRESS_BYTES, device));
            MemorySegment bytes = arena.allocate(ValueLayout.JAVA_LONG);
            CudaCheck.ok("cuDeviceTotalMem", Cuda.cuDeviceTotalMem_v2(bytes, device));
            return new CudaDescription(
                    ordinal,
                    name.getString(0),
                    new UUID(uuid.get(BIG_ENDIAN_LONG, 0), uuid.get(BIG_ENDIAN_LONG, Long.BYTES)).toString(),
                    pciAddress.getString(0).toLowerCase(Locale.ROOT),
                    bytes.get(ValueLayout.JAVA_LONG, 0));
        }
    }

    /// The driver's handle of a device, which may differ from its ordinal.
    static int device(int ordinal) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment device = arena.allocate(ValueLayout.JAVA_INT);
            CudaCheck.ok("cuDeviceGet", Cuda.cuDeviceGet(device, ordinal));
            return device.get(ValueLayout.JAVA_INT, 0);
        }
    }

    /// Whether host and device share one address space, so that every address is unique.
    static boolean hasOneAddressSpace(int device) {
        return valueOrZero(Cuda.CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING(), device) != 0;
    }

    static boolean exportsDmaBufs(int device) {
        return valueOrZero(Cuda.CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED(), device) != 0;
    }

    /// Whether work that is queued after a NIC's write sees the written data.
    static NicWrites nicWrites(int device) {
        // The value of an ordering equals the scope in which it holds.
        int ordering = valueOrZero(Cuda.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING(), device);
        if (ordering >= Cuda.CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER()) {
            return NicWrites.VISIBLE;
        }
        int flushes = valueOrZero(Cuda.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS(), device);
        return (flushes & Cuda.CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST()) != 0
                ? NicWrites.AFTER_FLUSH
                : NicWrites.UNUSABLE;
    }

    /// Returns 0 for an attribute that an older driver rejects as unknown: the driver does not have the feature.
    private static int valueOrZero(int attribute, int device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
            int code = Cuda.cuDeviceGetAttribute(value, attribute, device);
            if (code == Cuda.CUDA_ERROR_INVALID_VALUE()) {
                return 0;
            }
            CudaCheck.ok("cuDeviceGetAttribute", code);
            return value.get(ValueLayout.JAVA_INT, 0);
        }
    }
}
