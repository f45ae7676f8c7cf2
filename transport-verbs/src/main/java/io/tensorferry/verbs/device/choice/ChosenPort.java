package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.VerbsDevice;

/// The port of an open device that the transport uses.
///
/// @param device open; the receiver of this record closes it
/// @param portNumber the port, from 1
/// @param attributes the port's state at the time of the choice
/// @param gid the local address: an entry of the port's GID table that is in use
/// @param mtu payload bytes of a packet: 256, 512, 1024, 2048 or 4096, and at most the port's active MTU
public record ChosenPort(VerbsDevice device, int portNumber, PortAttributes attributes, GidEntry gid, int mtu) {
    /// The fabric of the port's queue pairs: `software`, `roce` or `infiniband`. Both ends must be on the same fabric.
    public String fabric() {
        if (device.description().transport() == DeviceDescription.Transport.SOFTWARE) {
            return "software";
        }
        return switch (attributes.linkLayer()) {
            case ETHERNET -> "roce";
            case INFINIBAND -> "infiniband";
        };
    }
}
