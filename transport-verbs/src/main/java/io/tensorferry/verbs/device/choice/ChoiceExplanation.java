package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.device.GidEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The result of choosing a device, port and GID, with the reason and all candidates in order of preference. Immutable.
///
/// @param providers every provider with its devices, in order of preference
/// @param taken the choice, or null if there was none
/// @param failure why the choice failed, or null if it succeeded
public record ChoiceExplanation(
        List<ProviderCandidate> providers,
        @Nullable Taken taken,
        @Nullable String failure) {
    public ChoiceExplanation {
        providers = List.copyOf(providers);
    }

    /// The chosen device, port and GID.
    ///
    /// @param port the port's number, from 1
    /// @param mtu payload bytes of a packet
    public record Taken(DeviceCandidate device, int port, GidEntry gid, int mtu) {
        /// For example `mlx5_0 (libibverbs), port 1, GID 3 ::ffff:10.0.0.1 (RoCE v2), MTU 1024`.
        @Override
        public String toString() {
            return device.name() + " (" + device.provider() + "), port " + port + ", " + gid + ", MTU " + mtu;
        }
    }

    /// All devices, in order of preference.
    public Stream<DeviceCandidate> devices() {
        return providers.stream().flatMap(provider -> provider.devices().stream());
    }

    /// The reasons for refusal, one for each unusable device and for each provider that cannot have any device.
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
