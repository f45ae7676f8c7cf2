package io.tensorferry.cli.devices;

import io.tensorferry.verbs.device.DeviceDescription.Transport;
import io.tensorferry.verbs.device.PortAttributes.LinkLayer;
import io.tensorferry.verbs.device.PortAttributes.PortState;

/// Formats values in the spelling of `ibv_devinfo`, with the number of the verbs interface in parentheses.
final class DeviceTerms {
    private DeviceTerms() {}

    static String transport(Transport transport) {
        return switch (transport) {
            case INFINIBAND -> "InfiniBand (0)";
            case IWARP -> "iWARP (1)";
            case SOFTWARE -> "software";
            case OTHER -> "other";
        };
    }

    static String state(PortState state) {
        return switch (state) {
            case DOWN -> "PORT_DOWN (1)";
            case INIT -> "PORT_INIT (2)";
            case ARMED -> "PORT_ARMED (3)";
            case ACTIVE -> "PORT_ACTIVE (4)";
        };
    }

    /// @param bytes 256, 512, 1024, 2048 or 4096, which have the numbers 1 to 5
    static String mtu(int bytes) {
        return bytes + " (" + (Integer.numberOfTrailingZeros(bytes) - 7) + ")";
    }

    static String linkLayer(LinkLayer layer) {
        return switch (layer) {
            case INFINIBAND -> "InfiniBand";
            case ETHERNET -> "Ethernet";
        };
    }

    /// Four groups of four hexadecimal digits.
    static String guid(long guid) {
        return "%04x:%04x:%04x:%04x"
                .formatted(guid >>> 48 & 0xFFFF, guid >>> 32 & 0xFFFF, guid >>> 16 & 0xFFFF, guid & 0xFFFF);
    }
}
