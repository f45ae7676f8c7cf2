package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.VerbsProvider;
import java.util.List;

/// Chooses the device, the port and the GID, and checks the configuration against them.
///
/// Uses the device that the configuration names, or else the first usable device: it supports RDMA WRITE with
/// immediate, and has an active port and a GID. Uses the port that the configuration names, or else the first active
/// port. [GidCandidate#reason()] explains the choice of each GID.
public final class DeviceChoice {
    private static final String SOFTWARE = "software";

    private DeviceChoice() {}

    /// Chooses and opens a device, and logs the choice with its reason and the unusable candidates. Devices after the
    /// chosen one are not opened; opened devices that are not chosen are closed again.
    ///
    /// @param providers in order of preference, the software device last
    /// @return the port with the open device, which the caller closes
    /// @throws IllegalArgumentException if the named device cannot be used, with the reason, or if the device or the
    ///     port does not support a setting, with its name, value and accepted range
    /// @throws io.tensorferry.api.TransportException `UNAVAILABLE` if no device is named and none is usable, with the
    ///     reason for each; `FAILED_PRECONDITION` if the worker's address is not an address of this machine, or the
    ///     configuration requires hardware
    public static ChosenPort choose(RdmaConfig config, List<VerbsProvider> providers) {
        var search = new DeviceSearch(config, providers, false);
        ChoiceLog.report(config, search.run());
        return search.chosenOrThrow();
    }

    /// Explains what [#choose] would choose, with every candidate. Opens and closes every device, except those that the
    /// configuration excludes by naming another. Logs nothing.
    ///
    /// @param providers in order of preference, the software device last
    public static ChoiceExplanation explain(RdmaConfig config, List<VerbsProvider> providers) {
        var search = new DeviceSearch(config, providers, true);
        ChoiceExplanation explanation = search.run();
        search.close();
        return explanation;
    }

    static boolean isSoftware(String provider) {
        return provider.equals(SOFTWARE);
    }
}
