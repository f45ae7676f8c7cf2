package io.tensorferry.verbs.device;

import io.tensorferry.verbs.device.PortAttributes.LinkLayer;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Chooses the entry of a port's GID table that is the own address.
///
/// On InfiniBand that is entry 0. On Ethernet it is the first with an IPv4 address framed as RoCE v2, which routers
/// understand; failing that, the first in use.
final class GidChoice {
    private static final Logger LOG = LoggerFactory.getLogger(GidChoice.class);

    private GidChoice() {}

    /// @return null where the port has no GID to choose
    static @Nullable GidEntry choose(VerbsDevice device, int portNumber, PortAttributes port) {
        List<GidEntry> used = used(device, portNumber, port);
        List<GidEntry> candidates = used.stream()
                .filter(entry ->
                        entry.type() == GidEntry.Type.ROCE_V2 && entry.gid().isIpv4Mapped())
                .toList();
        if (candidates.size() > 1) {
            LOG.info(
                    "port {} of {} has {} GIDs with an IPv4 address: {}; the first is taken, {} chooses another",
                    portNumber,
                    device.name(),
                    candidates.size(),
                    candidates,
                    RdmaSetting.GID_INDEX.variable());
        }
        if (!candidates.isEmpty()) {
            return candidates.getFirst();
        }
        return used.isEmpty() ? null : used.getFirst();
    }

    /// Whether there is one to choose.
    static boolean isPossible(VerbsDevice device, int portNumber, PortAttributes port) {
        return !used(device, portNumber, port).isEmpty();
    }

    /// The entries that may be chosen, in the table's order: those with an interface identifier, of InfiniBand only
    /// the first.
    private static List<GidEntry> used(VerbsDevice device, int portNumber, PortAttributes port) {
        int length =
                port.linkLayer() == LinkLayer.INFINIBAND ? Math.min(1, port.gidTableLength()) : port.gidTableLength();
        return IntStream.range(0, length)
                .mapToObj(index -> device.gid(portNumber, index))
                .filter(entry -> entry.gid().interfaceId() != 0)
                .toList();
    }

    /// @throws IllegalArgumentException if there is no such entry, or it is not in use
    static GidEntry require(VerbsDevice device, int portNumber, PortAttributes port, int index) {
        String place = " of port " + portNumber + " of " + device.name();
        if (index >= port.gidTableLength()) {
            throw RdmaSetting.GID_INDEX.refused(
                    index, "0 to " + (port.gidTableLength() - 1) + ", the last entry of the GID table" + place);
        }
        GidEntry entry = device.gid(portNumber, index);
        if (entry.gid().isZero()) {
            throw RdmaSetting.GID_INDEX.refused(index, "an entry that is in use, and this one" + place + " is zero");
        }
        return entry;
    }
}
