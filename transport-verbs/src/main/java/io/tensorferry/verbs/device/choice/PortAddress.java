package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.PortAttributes.PortState;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;

/// A snapshot of a port's address. Immutable.
///
/// The address may change while the device is open. The subnet manager may assign another LID, subnet prefix or
/// partition keys. Adding or removing an IP address or a VLAN changes the GID table. An entry that reappears may have
/// another index, because the kernel keeps the old index while a queue pair uses it. Each endpoint therefore queries
/// the address anew, and searches the GID by value.
///
/// @param lid the local identifier, 0 to 65,535
/// @param gid the local address with its index in the GID table
/// @param partitionKey value of the configured partition-key table entry, 16 bits
/// @param mtu payload bytes of a packet
public record PortAddress(int lid, GidEntry gid, int partitionKey, int mtu) {
    // The highest bit distinguishes full from limited members.
    private static final int PARTITION = 0x7FFF;

    /// Queries the port's current address. May block on the device.
    ///
    /// Returns the GID chosen at the start, at its current index. If that GID has disappeared, chooses another.
    ///
    /// @throws VerbsException ENETDOWN if the port is not active, ENODATA if it has no usable GID or partition key,
    ///     otherwise the device's error
    public static PortAddress ask(ChosenPort chosen, RdmaConfig config) {
        PortAttributes port = chosen.device().port(chosen.portNumber());
        if (port.state() != PortState.ACTIVE) {
            throw new VerbsException(
                    "ibv_query_port", VerbsException.ENETDOWN, placeOf(chosen) + " is " + port.state());
        }
        int partitionKey = chosen.device().partitionKey(chosen.portNumber(), config.pkeyIndex());
        if ((partitionKey & PARTITION) == 0) {
            throw new VerbsException(
                    "ibv_query_pkey",
                    VerbsException.ENODATA,
                    "entry " + config.pkeyIndex() + " of the partition-key table of " + placeOf(chosen) + " is empty");
        }
        Integer mtu = config.mtu();
        return new PortAddress(
                port.lid(),
                gid(chosen, config, port),
                partitionKey,
                mtu == null ? port.activeMtu() : Math.min(mtu, port.activeMtu()));
    }

    private static GidEntry gid(ChosenPort chosen, RdmaConfig config, PortAttributes port) {
        GidEntry wanted = chosen.gid();
        for (int i = 0; i < port.gidTableLength(); i++) {
            // Starts at the former index, because a table may have a thousand entries.
            int index = (wanted.index() + i) % port.gidTableLength();
            GidEntry entry = chosen.device().gid(chosen.portNumber(), index);
            if (entry.gid().equals(wanted.gid()) && entry.type() == wanted.type()) {
                return entry;
            }
        }
        return GidChoice.again(chosen.device(), chosen.portNumber(), port, config.gidIndex())
                .orElseThrow(() -> new VerbsException(
                        "ibv_query_gid_ex",
                        VerbsException.ENODATA,
                        wanted + " of " + placeOf(chosen) + " is gone, and no other can be used"));
    }

    private static String placeOf(ChosenPort chosen) {
        return "port " + chosen.portNumber() + " of " + chosen.device().name();
    }

    /// Whether a queue pair that was connected with this address is still reachable. May block on the device.
    ///
    /// @throws VerbsException if a query of the device fails
    public boolean isThere(ChosenPort chosen, RdmaConfig config) {
        VerbsDevice device = chosen.device();
        int number = chosen.portNumber();
        PortAttributes port = device.port(number);
        // A port that is down may have no LID, and get the same LID again when it comes up.
        return (port.lid() == lid || port.state() != PortState.ACTIVE)
                && gid.index() < port.gidTableLength()
                && device.gid(number, gid.index()).equals(gid)
                && device.partitionKey(number, config.pkeyIndex()) == partitionKey;
    }
}
