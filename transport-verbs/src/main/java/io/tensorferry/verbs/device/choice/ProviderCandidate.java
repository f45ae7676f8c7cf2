package io.tensorferry.verbs.device.choice;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A provider that was asked for its devices.
///
/// @param obstacle why it can have no device at all, or null where nothing is in its way
/// @param devices its devices, in its order
public record ProviderCandidate(String name, @Nullable String obstacle, List<DeviceCandidate> devices) {
    public ProviderCandidate {
        devices = List.copyOf(devices);
    }
}
