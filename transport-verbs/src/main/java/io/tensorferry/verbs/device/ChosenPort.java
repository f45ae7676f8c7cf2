package io.tensorferry.verbs.device;
public record ChosenPort(VerbsDevice device, int portNumber, PortAttributes attributes, GidEntry gid, int mtu) {}
