package io.tensorferry.verbs.device;

/// The port of an opened device through which the transport goes.
///
/// @param device opened; whoever gets this closes it
/// @param portNumber the port, from 1
/// @param attributes the port's state when it was chosen
/// @param gid the own address: an entry of the port's GID table that is in use
/// @param mtu payload bytes of a packet: 256, 512, 1024, 2048 or 4096, and at most the port's active MTU
public record ChosenPort(VerbsDevice device, int portNumber, PortAttributes attributes, GidEntry gid, int mtu) {}
