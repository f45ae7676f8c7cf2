package io.tensorferry.verbs.device.choice;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A provider with its devices.
///
/// @param obstacle why the provider cannot have any device, or null if there is no obstacle
/// @param devices its devices, in the provider's order
public record ProviderCandidate(String name, @Nullable String obstacle, List<DeviceCandidate> devices) {
    public ProviderCandidate {
        devices = List.copyOf(devices);
    }
}
