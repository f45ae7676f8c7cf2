package io.tensorferry.verbs.device.choice;

import java.util.List;

/// An existing device and the verdict of the choice.
///
/// @param provider the provider's name, for example `libibverbs`
/// @param name the device's name, for example `mlx5_0`
/// @param reason the reason for the verdict, in words that follow "mlx5_0 ..."
/// @param ports its ports; empty if it was not opened, or is unusable regardless of its ports
public record DeviceCandidate(String provider, String name, Verdict verdict, String reason, List<PortCandidate> ports) {
    public DeviceCandidate {
        ports = List.copyOf(ports);
    }

    /// For example `mlx5_0 has no active port (port 1 is DOWN)`.
    @Override
    public String toString() {
        return name + " " + reason;
    }
}
