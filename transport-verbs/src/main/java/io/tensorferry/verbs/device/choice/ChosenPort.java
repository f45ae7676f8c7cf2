package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.VerbsDevice;

/// The port of an opened device through which the transport goes.
///
/// @param device opened; whoever gets this closes it
/// @param portNumber the port, from 1
/// @param attributes the port's state when it was chosen
/// @param gid the own address: an entry of the port's GID table that is in use
/// @param mtu payload bytes of a packet: 256, 512, 1024, 2048 or 4096, and at most the port's active MTU
public record ChosenPort(VerbsDevice device, int portNumber, PortAttributes attributes, GidEntry gid, int mtu) {
    /// What the port's queue pairs can be connected through: `software`, `roce` or `infiniband`. Both ends must have
    /// the same.
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
