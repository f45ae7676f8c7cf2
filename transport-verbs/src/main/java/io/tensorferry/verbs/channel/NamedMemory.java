package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.device.MemoryRegion;

/// Memory that a message is to name to the peer, who writes all of it.
///
/// @param region the registration that holds it
/// @param address of its first byte
/// @param length bytes, at least 1
public record NamedMemory(MemoryRegion region, long address, long length) {}
