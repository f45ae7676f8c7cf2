package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.QueuePairAddress;

/// What one process of the raw pair must know of the other, and who started both of the device.
///
/// @param device its name
/// @param port the device's port
/// @param gidIndex the own entry of the GID table
/// @param routed whether packets carry the GID (not on InfiniBand within one subnet)
/// @param mtu payload bytes of a packet
/// @param queuePair how to reach it
/// @param memory the first byte of the registered memory
/// @param remoteKey its key
record RawAddress(
        String device,
        int port,
        int gidIndex,
        boolean routed,
        int mtu,
        QueuePairAddress queuePair,
        long memory,
        int remoteKey) {
    private static final int FIELDS = 11;

    /// This as one line of text, for [#parse].
    String toLine() {
        Gid gid = queuePair.gid();
        return String.join(
                " ",
                device,
                Integer.toString(port),
                Integer.toString(gidIndex),
                Boolean.toString(routed),
                Integer.toString(mtu),
                Integer.toString(queuePair.lid()),
                Integer.toString(queuePair.queuePairNumber()),
                Integer.toString(queuePair.packetSequenceNumber()),
                Long.toString(gid.subnetPrefix()) + " " + gid.interfaceId(),
                Long.toString(memory),
                Integer.toString(remoteKey));
    }

    /// @throws IllegalArgumentException if `line` is not from [#toLine]
    static RawAddress parse(String line) {
        String[] parts = line.split(" ", -1);
        if (parts.length != FIELDS + 1) {
            throw new IllegalArgumentException("'" + line + "' is no address");
        }
        return new RawAddress(
                parts[0],
                Integer.parseInt(parts[1]),
                Integer.parseInt(parts[2]),
                Boolean.parseBoolean(parts[3]),
                Integer.parseInt(parts[4]),
                new QueuePairAddress(
                        Integer.parseInt(parts[5]),
                        Integer.parseInt(parts[6]),
                        Integer.parseInt(parts[7]),
                        new Gid(Long.parseLong(parts[8]), Long.parseLong(parts[9]))),
                Long.parseLong(parts[10]),
                Integer.parseInt(parts[11]));
    }
}
