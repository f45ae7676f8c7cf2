package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.PortAttributes.PortState;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;

/// What a port is reached by, and sends with, at one moment. Immutable.
///
/// All of it may change while the device is open. The subnet manager gives out another LID, another subnet prefix,
/// other partition keys. An IP address or a VLAN comes or goes, and with it an entry of the GID table. An entry that
/// comes back may have another index: the kernel keeps the old one for as long as a queue pair uses it. So each
/// endpoint asks for it anew, and looks for the GID by its value.
///
/// @param lid the local identifier, 0 to 65,535
/// @param gid the own address with its place in the GID table
/// @param partitionKey the value of the configured entry of the partition-key table, 16 bits
/// @param mtu payload bytes of a packet
public record PortAddress(int lid, GidEntry gid, int partitionKey, int mtu) {
    // The highest bit tells full from limited members.
    private static final int PARTITION = 0x7FFF;

    /// Asks the device. May wait for it.
    ///
    /// The GID is the one that was chosen at the start, wherever it is in the table now. If it is gone, it is the one
    /// that would be chosen now.
    ///
    /// @throws VerbsException ENETDOWN if the port is not active, ENODATA if it has no GID or partition key that can be
    ///     used, and whatever the device refuses with
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
            // Where it was at the start is looked at first: a table may have a thousand entries.
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

    /// Whether a queue pair that was connected with this address can still be reached. May wait for the device.
    ///
    /// @throws VerbsException if the device refuses
    public boolean isThere(ChosenPort chosen, RdmaConfig config) {
        VerbsDevice device = chosen.device();
        int number = chosen.portNumber();
        PortAttributes port = device.port(number);
        // A port that is down may have no LID, and have its own again when it comes back.
        return (port.lid() == lid || port.state() != PortState.ACTIVE)
                && gid.index() < port.gidTableLength()
                && device.gid(number, gid.index()).equals(gid)
                && device.partitionKey(number, config.pkeyIndex()) == partitionKey;
    }
}
