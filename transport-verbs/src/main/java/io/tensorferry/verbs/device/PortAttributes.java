package io.tensorferry.verbs.device;

/// The state of a port (`ibv_query_port`).
///
/// @param state whether traffic can flow
/// @param linkLayer InfiniBand or Ethernet
/// @param activeMtu the largest packet payload now, in bytes: 256, 512, 1024, 2048 or 4096
/// @param maxMessageBytes the largest message of one work request (`max_msg_sz`)
/// @param gidTableLength entries of the GID table
/// @param pkeyTableLength entries of the partition-key table
/// @param lid the local identifier, 0 to 65,535
public record PortAttributes(
        PortState state,
        LinkLayer linkLayer,
        int activeMtu,
        long maxMessageBytes,
        int gidTableLength,
        int pkeyTableLength,
        int lid) {
    public enum PortState {
        DOWN,
        INIT,
        ARMED,
        ACTIVE
    }

    public enum LinkLayer {
        INFINIBAND,
        ETHERNET
    }
}
