package io.tensorferry.verbs.device.software.core;

/// An entry of the device's [KeyTable]: a memory region or a memory window.
///
/// While the entry is open, no other entry has the upper 24 bits of its key. The low 8 bits may change.
sealed interface KeyHolder permits SoftwareMemoryRegion, SoftwareMemoryWindow {
    int remoteKey();

    boolean isOpen();
}
