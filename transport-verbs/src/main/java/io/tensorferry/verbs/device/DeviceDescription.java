package io.tensorferry.verbs.device;

/// Who made a device and what it is (`ibv_devinfo` shows the same).
///
/// @param transport what its packets follow
/// @param firmwareVersion as the device writes it; empty where there is no firmware
/// @param nodeGuid the device's 64-bit identifier; 0 where it has none
/// @param systemImageGuid the identifier that all devices of one board have in common; 0 where there is none
/// @param vendorId the maker's IEEE number, 24 bits
/// @param vendorPartId the maker's number of the product
/// @param hardwareVersion the maker's number of the version
public record DeviceDescription(
        Transport transport,
        String firmwareVersion,
        long nodeGuid,
        long systemImageGuid,
        int vendorId,
        int vendorPartId,
        int hardwareVersion) {
    /// What rdma_rxe says in place of a maker's number.
    private static final int SOFT_ROCE_VENDOR = 0xFF_FFFF;

    public enum Transport {
        /// InfiniBand's, over its own links or over Ethernet (RoCE).
        INFINIBAND,
        /// Over TCP; it has no RDMA WRITE with immediate.
        IWARP,
        /// The software device's own.
        SOFTWARE,
        OTHER
    }

    /// Whether it is the kernel's Soft-RoCE (rdma_rxe), which does some things otherwise than network cards.
    public boolean isSoftRoce() {
        return transport == Transport.INFINIBAND && vendorId == SOFT_ROCE_VENDOR;
    }

    /// Whether it is a card of its own, which does what this process' processors do not.
    public boolean isHardware() {
        return transport != Transport.SOFTWARE && !isSoftRoce();
    }

    /// Of a device that is no hardware and has no maker.
    public static DeviceDescription software() {
        return new DeviceDescription(Transport.SOFTWARE, "", 0, 0, 0, 0, 0);
    }
}
