package io.tensorferry.verbs.device;

/// The state of a port (`ibv_query_port`).
///
/// @param state whether traffic can flow
/// @param linkLayer InfiniBand or Ethernet
/// @param maxMtu the largest supported MTU in bytes: 256, 512, 1024, 2048 or 4096
/// @param activeMtu the current MTU in bytes, at most `maxMtu`
/// @param maxMessageBytes maximum message bytes of one work request (`max_msg_sz`)
/// @param gidTableLength number of entries in the GID table
/// @param pkeyTableLength number of entries in the partition-key table
/// @param lid the local identifier, 0 to 65,535; 0 on Ethernet
/// @param lidMaskControl number of low LID bits that are available for multipathing (`lmc`), 0 to 7
/// @param subnetManagerLid the local identifier of the subnet manager; 0 on Ethernet
public record PortAttributes(
        PortState state,
        LinkLayer linkLayer,
        int maxMtu,
        int activeMtu,
        long maxMessageBytes,
        int gidTableLength,
        int pkeyTableLength,
        int lid,
        int lidMaskControl,
        int subnetManagerLid) {
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
