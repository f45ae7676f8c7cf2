package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.device.GidEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a choice of device, port and GID came to, and why: all that was looked at, in the order of preference.
///
/// @param providers every provider with its devices, in order of preference
/// @param taken what was taken, or null where nothing was
/// @param failure why nothing was taken, or null where something was
public record ChoiceExplanation(
        List<ProviderCandidate> providers,
        @Nullable Taken taken,
        @Nullable String failure) {
    public ChoiceExplanation {
        providers = List.copyOf(providers);
    }

    /// What was taken.
    ///
    /// @param port the port's number, from 1
    /// @param mtu payload bytes of a packet
    public record Taken(DeviceCandidate device, int port, GidEntry gid, int mtu) {
        /// As `mlx5_0 (libibverbs), port 1, GID 3 ::ffff:10.0.0.1 (RoCE v2), MTU 1024`.
        @Override
        public String toString() {
            return device.name() + " (" + device.provider() + "), port " + port + ", " + gid + ", MTU " + mtu;
        }
    }

    /// Every device, in order of preference.
    public Stream<DeviceCandidate> devices() {
        return providers.stream().flatMap(provider -> provider.devices().stream());
    }

    /// The reasons against what cannot be used, one for each device and for each provider that can have none.
    public List<String> refusals() {
        var reasons = new ArrayList<String>();
        for (ProviderCandidate provider : providers) {
            if (provider.obstacle() != null) {
                reasons.add(provider.name() + " has no device: " + provider.obstacle());
            }
            for (DeviceCandidate device : provider.devices()) {
                if (device.verdict() == Verdict.REFUSED) {
                    reasons.add(device.toString());
                }
            }
        }
        return reasons;
    }
}
