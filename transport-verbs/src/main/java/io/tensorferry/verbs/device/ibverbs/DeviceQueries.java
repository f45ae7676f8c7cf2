package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.bindings.ibverbs.ibv_device;
import io.tensorferry.bindings.ibverbs.ibv_device_attr;
import io.tensorferry.bindings.ibverbs.ibv_gid;
import io.tensorferry.bindings.ibverbs.ibv_gid_entry;
import io.tensorferry.bindings.ibverbs.ibv_port_attr;
import io.tensorferry.verbs.device.DeviceAttributes;
import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.DeviceDescription.Transport;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.PortAttributes.LinkLayer;
import io.tensorferry.verbs.device.PortAttributes.PortState;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.ibverbs.post.NetworkOrder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Queries the attributes of a device and its ports, and converts libibverbs' structures.
final class DeviceQueries {
    private static final int SMALLEST_MTU_CODE_UNIT = 128;

    /// `IBV_DEVICE_MEM_WINDOW_TYPE_2A` and `_2B` of `device_cap_flags`, which the generated constants lack.
    private static final int WINDOWS_OF_TYPE_2 = 1 << 23 | 1 << 24;

    private DeviceQueries() {}

    /// @param device an `ibv_device`
    /// @param limits an `ibv_device_attr`, filled
    static DeviceDescription description(MemorySegment device, MemorySegment limits) {
        return new DeviceDescription(
                transport(ibv_device.transport_type(device)),
                ibv_device_attr.fw_ver(limits).getString(0),
                NetworkOrder.toLong(ibv_device_attr.node_guid(limits)),
                NetworkOrder.toLong(ibv_device_attr.sys_image_guid(limits)),
                ibv_device_attr.vendor_id(limits),
                ibv_device_attr.vendor_part_id(limits),
                ibv_device_attr.hw_ver(limits));
    }

    private static Transport transport(int number) {
        if (number == Ibverbs.IBV_TRANSPORT_IB()) {
            return Transport.INFINIBAND;
        }
        return number == Ibverbs.IBV_TRANSPORT_IWARP() ? Transport.IWARP : Transport.OTHER;
    }

    static DeviceAttributes attributes(MemorySegment limits, Transport transport) {
        return new DeviceAttributes(
                Byte.toUnsignedInt(ibv_device_attr.phys_port_cnt(limits)),
                ibv_device_attr.max_qp(limits),
                ibv_device_attr.max_qp_wr(limits),
                ibv_device_attr.max_cqe(limits),
                ibv_device_attr.max_mr(limits),
                nonNegative(ibv_device_attr.max_mr_size(limits)),
                (ibv_device_attr.device_cap_flags(limits) & WINDOWS_OF_TYPE_2) == 0
                        ? 0
                        : Math.max(0, ibv_device_attr.max_mw(limits)),
                DeviceAttributes.USUAL_WINDOW_BYTES,
                ibv_device_attr.max_qp_rd_atom(limits),
                ibv_device_attr.max_qp_init_rd_atom(limits),
                // The InfiniBand transport supports it on reliable connections; the iWARP protocol has no immediates.
                transport == Transport.INFINIBAND);
    }

    /// Converts an unsigned number whose all-ones value means "no limit".
    private static long nonNegative(long unsigned) {
        return unsigned < 0 ? Long.MAX_VALUE : unsigned;
    }

    static PortAttributes port(MemorySegment context, int portNumber) {
        try (var call = new NativeCall()) {
            // Zeroed, because the library fills only what the kernel knows.
            MemorySegment port = ibv_port_attr.allocate(call);
            VerbsCheck.returnedErrno(
                    "ibv_query_port",
                    Ibverbs.ibv_query_port(context, (byte) portNumber, port),
                    () -> "cannot read the state of port " + portNumber);
            return new PortAttributes(
                    state(ibv_port_attr.state(port)),
                    Byte.toUnsignedInt(ibv_port_attr.link_layer(port)) == Ibverbs.IBV_LINK_LAYER_ETHERNET()
                            ? LinkLayer.ETHERNET
                            : LinkLayer.INFINIBAND,
                    mtuBytes(ibv_port_attr.max_mtu(port)),
                    mtuBytes(ibv_port_attr.active_mtu(port)),
                    Integer.toUnsignedLong(ibv_port_attr.max_msg_sz(port)),
                    ibv_port_attr.gid_tbl_len(port),
                    Short.toUnsignedInt(ibv_port_attr.pkey_tbl_len(port)),
                    Short.toUnsignedInt(ibv_port_attr.lid(port)),
                    Byte.toUnsignedInt(ibv_port_attr.lmc(port)),
                    Short.toUnsignedInt(ibv_port_attr.sm_lid(port)));
        }
    }

    private static PortState state(int number) {
        if (number == Ibverbs.IBV_PORT_ACTIVE()) {
            return PortState.ACTIVE;
        }
        if (number == Ibverbs.IBV_PORT_ARMED()) {
            return PortState.ARMED;
        }
        return number == Ibverbs.IBV_PORT_INIT() ? PortState.INIT : PortState.DOWN;
    }

    /// @param code an `enum ibv_mtu`: 1 for 256 to 5 for 4096
    static int mtuBytes(int code) {
        return SMALLEST_MTU_CODE_UNIT << code;
    }

    /// @param bytes 256, 512, 1024, 2048 or 4096
    static int mtuCode(int bytes) {
        return Integer.numberOfTrailingZeros(bytes) - Integer.numberOfTrailingZeros(SMALLEST_MTU_CODE_UNIT);
    }

    static GidEntry gid(MemorySegment context, int portNumber, int index) {
        try (var call = new NativeCall()) {
            MemorySegment entry = ibv_gid_entry.allocate(call);
            return isGidInUse(context, portNumber, index, entry)
                    ? new GidEntry(index, readGid(ibv_gid_entry.gid(entry)), gidType(ibv_gid_entry.gid_type(entry)))
                    : new GidEntry(index, new Gid(0, 0), GidEntry.Type.INFINIBAND);
        }
    }

    /// The interface number of a GID table entry; 0 if unknown.
    static int gidInterface(MemorySegment context, int portNumber, int index) {
        try (var call = new NativeCall()) {
            MemorySegment entry = ibv_gid_entry.allocate(call);
            return isGidInUse(context, portNumber, index, entry) ? ibv_gid_entry.ndev_ifindex(entry) : 0;
        }
    }

    /// Fills `entry` if the GID is in use.
    private static boolean isGidInUse(MemorySegment context, int portNumber, int index, MemorySegment entry) {
        int result = Ibverbs._ibv_query_gid_ex(context, portNumber, index, entry, 0, entry.byteSize());
        if (Math.abs(result) == VerbsException.ENODATA) {
            return false;
        }
        VerbsCheck.returnedErrno(
                "ibv_query_gid_ex", result, () -> "entry " + index + " of the GID table of port " + portNumber);
        return true;
    }

    static int partitionKey(MemorySegment context, int portNumber, int index) {
        try (var call = new NativeCall()) {
            MemorySegment key = call.allocate(ValueLayout.JAVA_SHORT);
            if (Ibverbs.ibv_query_pkey(context, (byte) portNumber, index, key) != 0) {
                // The call reads a file, and does not report why it fails.
                throw new VerbsException(
                        "ibv_query_pkey",
                        VerbsException.EIO,
                        "entry " + index + " of the partition-key table of port " + portNumber);
            }
            return Short.toUnsignedInt(NetworkOrder.toShort(key.get(ValueLayout.JAVA_SHORT, 0)));
        }
    }

    private static GidEntry.Type gidType(int number) {
        if (number == Ibverbs.IBV_GID_TYPE_ROCE_V2()) {
            return GidEntry.Type.ROCE_V2;
        }
        return number == Ibverbs.IBV_GID_TYPE_ROCE_V1() ? GidEntry.Type.ROCE_V1 : GidEntry.Type.INFINIBAND;
    }

    private static Gid readGid(MemorySegment gid) {
        MemorySegment global = ibv_gid.global(gid);
        return new Gid(
                NetworkOrder.toLong(ibv_gid.global.subnet_prefix(global)),
                NetworkOrder.toLong(ibv_gid.global.interface_id(global)));
    }

    static void writeGid(Gid gid, MemorySegment target) {
        MemorySegment global = ibv_gid.global(target);
        ibv_gid.global.subnet_prefix(global, NetworkOrder.toLong(gid.subnetPrefix()));
        ibv_gid.global.interface_id(global, NetworkOrder.toLong(gid.interfaceId()));
    }
}
