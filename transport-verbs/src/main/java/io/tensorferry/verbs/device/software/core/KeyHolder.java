package io.tensorferry.verbs.device.software.core;

/// What a device's table of keys finds by a key.
///
/// The upper 24 bits of its key are its own, as long as it is open; the low 8 bits may change.
sealed interface KeyHolder permits SoftwareMemoryRegion, SoftwareMemoryWindow {
    int remoteKey();

    boolean isOpen();
}
