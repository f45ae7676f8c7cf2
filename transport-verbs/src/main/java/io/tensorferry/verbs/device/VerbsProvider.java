package io.tensorferry.verbs.device;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A source of RDMA devices: libibverbs, or the software device in user space.
public interface VerbsProvider {
    /// The provider's name in messages: `libibverbs` or `software`.
    String name();

    /// Returns a sentence with the reason why this provider cannot have any device, and a remedy; null if there is no
    /// obstacle (there may still be no device).
    default @Nullable String obstacle() {
        return null;
    }

    /// Lists the devices that exist now, in the provider's order. A missing library or kernel module is not an error:
    /// the list is then empty.
    List<String> deviceNames();

    /// Opens a device. The caller closes it.
    ///
    /// @throws VerbsException if no device has this name, or it cannot be opened
    VerbsDevice open(String deviceName);
}
