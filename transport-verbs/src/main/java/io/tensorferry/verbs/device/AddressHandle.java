package io.tensorferry.verbs.device;

/// The address vector of a peer's port (`ibv_ah_attr`).
///
/// @param destination the peer's GID
/// @param destinationLid the peer's local identifier
/// @param sourceGidIndex index of the source GID in the local GID table
/// @param serviceLevel 0 to 15
/// @param trafficClass 0 to 255
/// @param hopLimit 1 to 255
public record AddressHandle(
        Gid destination, int destinationLid, int sourceGidIndex, int serviceLevel, int trafficClass, int hopLimit) {}
