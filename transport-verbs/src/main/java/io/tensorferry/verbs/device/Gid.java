package io.tensorferry.verbs.device;

/// A global identifier, 128 bits: the routable address of a port.
///
/// @param subnetPrefix the first 8 bytes, big-endian; 0 for an IPv4-mapped GID
/// @param interfaceId the last 8 bytes, big-endian; `0x0000ffff_a_b_c_d` for an IPv4-mapped GID
public record Gid(long subnetPrefix, long interfaceId) {
    private static final long IPV4_MARK = 0xFFFFL << 32;
    private static final int IPV4_LINK_LOCAL = 169 << 8 | 254;
    private static final long LINK_LOCAL = 0xFE80 >>> 6;
    private static final long SITE_LOCAL = 0xFEC0 >>> 6;

    public static Gid ofIpv4(int address) {
        return new Gid(0, IPV4_MARK | Integer.toUnsignedLong(address));
    }

    public boolean isZero() {
        return subnetPrefix == 0 && interfaceId == 0;
    }

    public boolean isIpv4Mapped() {
        return subnetPrefix == 0 && (interfaceId & 0xFFFF_FFFF_0000_0000L) == IPV4_MARK;
    }

    /// Whether the address is link-local, so that routers do not forward it: in `fe80::/10`, in IPv6's deprecated
    /// site-local prefix `fec0::/10`, or in the IPv4 range `169.254.0.0/16`.
    public boolean isLinkLocal() {
        long first10Bits = subnetPrefix >>> 54;
        return isIpv4Mapped()
                ? ipv4Address() >>> 16 == IPV4_LINK_LOCAL
                : first10Bits == LINK_LOCAL || first10Bits == SITE_LOCAL;
    }

    /// Whether the address is `::1`, which never appears in packets.
    public boolean isLoopback() {
        return subnetPrefix == 0 && interfaceId == 1;
    }

    /// The IPv4 address of an IPv4-mapped GID, big-endian in an int.
    public int ipv4Address() {
        return (int) interfaceId;
    }

    /// Formats as eight groups of four hexadecimal digits, like `ibv_devinfo`, or as `::ffff:a.b.c.d`.
    @Override
    public String toString() {
        if (isIpv4Mapped()) {
            int a = ipv4Address();
            return "::ffff:" + (a >>> 24) + "." + (a >>> 16 & 0xFF) + "." + (a >>> 8 & 0xFF) + "." + (a & 0xFF);
        }
        var text = new StringBuilder();
        for (int shift = 48; shift >= 0; shift -= 16) {
            text.append("%04x:".formatted(subnetPrefix >>> shift & 0xFFFF));
        }
        for (int shift = 48; shift >= 0; shift -= 16) {
            text.append("%04x".formatted(interfaceId >>> shift & 0xFFFF)).append(shift > 0 ? ":" : "");
        }
        return text.toString();
    }
}
