package io.tensorferry.verbs.device;

/// Vendor, product and firmware of a device (the fields of `ibv_devinfo`). Immutable.
///
/// @param transport the wire protocol
/// @param firmwareVersion the version as the device formats it; empty if there is no firmware
/// @param nodeGuid the device's 64-bit identifier; 0 if it has none
/// @param systemImageGuid the identifier shared by all devices of one board; 0 if there is none
/// @param vendorId the vendor's IEEE number, 24 bits
/// @param vendorPartId the vendor's product number
/// @param hardwareVersion the vendor's hardware version number
public record DeviceDescription(
        Transport transport,
        String firmwareVersion,
        long nodeGuid,
        long systemImageGuid,
        int vendorId,
        int vendorPartId,
        int hardwareVersion) {
    /// The vendor number that rdma_rxe reports.
    private static final int SOFT_ROCE_VENDOR = 0xFF_FFFF;

    public enum Transport {
        /// The InfiniBand transport, over InfiniBand links or over Ethernet (RoCE).
        INFINIBAND,
        /// iWARP over TCP, without RDMA WRITE with immediate.
        IWARP,
        /// The protocol of this library's software device.
        SOFTWARE,
        OTHER
    }

    /// Whether the device is the kernel's Soft-RoCE (rdma_rxe), which differs from network cards in some behaviour.
    public boolean isSoftRoce() {
        return transport == Transport.INFINIBAND && vendorId == SOFT_ROCE_VENDOR;
    }

    /// Whether the device is hardware, which offloads the work from this machine's processors.
    public boolean isHardware() {
        return transport != Transport.SOFTWARE && !isSoftRoce();
    }

    /// Returns the description of the software device, which has no vendor.
    public static DeviceDescription software() {
        return new DeviceDescription(Transport.SOFTWARE, "", 0, 0, 0, 0, 0);
    }
}
