package io.tensorferry.verbs.device;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One way to reach RDMA devices: libibverbs, or the device in user space.
public interface VerbsProvider {
    /// What this provider is, for messages: `libibverbs` or `software`.
    String name();

    /// Why this provider can have no device at all, as a sentence that says what would help; null where nothing is in
    /// its way (there may still be no device).
    default @Nullable String obstacle() {
        return null;
    }

    /// The names of the devices that exist now, in the provider's order; empty where there is none. Never fails for
    /// a missing library or kernel module.
    List<String> deviceNames();

    /// Opens a device. The caller closes it.
    ///
    /// @throws VerbsException if no device has this name, or it cannot be opened
    VerbsDevice open(String deviceName);
}
