package io.tensorferry.verbs.device.choice;

import java.util.List;

/// A device that exists, and what the choice made of it.
///
/// @param provider the provider's name, as `libibverbs`
/// @param name the device's name, as `mlx5_0`
/// @param reason why it was taken or was not, in words that follow "mlx5_0 ..."
/// @param ports its ports; empty where it was not opened, or could not be used whatever its ports
public record DeviceCandidate(String provider, String name, Verdict verdict, String reason, List<PortCandidate> ports) {
    public DeviceCandidate {
        ports = List.copyOf(ports);
    }

    /// As `mlx5_0 has no active port (port 1 is DOWN)`.
    @Override
    public String toString() {
        return name + " " + reason;
    }
}
