package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.QueuePairAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// The address of one process of the raw pair, for the other process and the launcher.
///
/// @param device the device's name
/// @param port the device's port
/// @param gidIndex the local entry of the GID table
/// @param routed whether packets carry the GID (not on InfiniBand within one subnet)
/// @param mtu payload bytes of a packet
/// @param queuePairs the address of each queue pair
/// @param memory the address of the registered memory
/// @param remoteKey the rkey of the registered memory
record RawAddress(
        String device,
        int port,
        int gidIndex,
        boolean routed,
        int mtu,
        List<QueuePairAddress> queuePairs,
        long memory,
        int remoteKey) {
    private static final int FIELDS = 7;
    private static final int LANE_FIELDS = 5;

    /// Formats this as one line of text, for [#parse].
    String toLine() {
        var words = new ArrayList<Object>(List.of(device, port, gidIndex, routed, mtu, memory, remoteKey));
        for (QueuePairAddress each : queuePairs) {
            words.addAll(List.of(
                    each.lid(),
                    each.queuePairNumber(),
                    each.packetSequenceNumber(),
                    each.gid().subnetPrefix(),
                    each.gid().interfaceId()));
        }
        return words.stream().map(Object::toString).collect(Collectors.joining(" "));
    }

    /// @throws IllegalArgumentException if `line` is not an output of [#toLine]
    static RawAddress parse(String line) {
        String[] parts = line.split(" ", -1);
        if (parts.length < FIELDS + LANE_FIELDS || (parts.length - FIELDS) % LANE_FIELDS != 0) {
            throw new IllegalArgumentException("'" + line + "' is not an address");
        }
        var queuePairs = new ArrayList<QueuePairAddress>();
        for (int i = FIELDS; i < parts.length; i += LANE_FIELDS) {
            queuePairs.add(new QueuePairAddress(
                    Integer.parseInt(parts[i]),
                    Integer.parseInt(parts[i + 1]),
                    Integer.parseInt(parts[i + 2]),
                    new Gid(Long.parseLong(parts[i + 3]), Long.parseLong(parts[i + 4]))));
        }
        return new RawAddress(
                parts[0],
                Integer.parseInt(parts[1]),
                Integer.parseInt(parts[2]),
                Boolean.parseBoolean(parts[3]),
                Integer.parseInt(parts[4]),
                List.copyOf(queuePairs),
                Long.parseLong(parts[5]),
                Integer.parseInt(parts[6]));
    }
}
