package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.VerbsProvider;
import java.util.List;

/// Chooses the device, the port and the GID, and checks the configuration against them.
///
/// The device is the one that the configuration names, or else the first usable one: with RDMA WRITE with immediate,
/// an active port and a GID. The port is the one that the configuration names, or else the first active one. For the
/// GID see [GidCandidate#reason()] of each.
public final class DeviceChoice {
    private static final String SOFTWARE = "software";

    private DeviceChoice() {}

    /// Opens the device that is chosen, and logs what was taken and why, and what cannot be used. Devices that come
    /// after the one that is taken are not opened; those that were opened and not taken are closed again.
    ///
    /// @param providers in order of preference, the software device last
    /// @return with the opened device, which the caller closes
    /// @throws IllegalArgumentException if the named device cannot be used, with the reason, or the device or the
    ///     port does not take a setting, naming it, its value and what is accepted
    /// @throws io.tensorferry.api.TransportException `UNAVAILABLE` if no device is named and none is usable, with
    ///     the reason for each; `FAILED_PRECONDITION` where the worker's address is not one of this
    ///     machine, or the configuration requires hardware
    public static ChosenPort choose(RdmaConfig config, List<VerbsProvider> providers) {
        var search = new DeviceSearch(config, providers, false);
        ChoiceLog.report(config, search.run());
        return search.chosenOrThrow();
    }

    /// What [#choose] would take, and why, with every candidate. Every device is opened once and closed again, but
    /// for those that the configuration rules out by naming another; nothing is logged.
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
