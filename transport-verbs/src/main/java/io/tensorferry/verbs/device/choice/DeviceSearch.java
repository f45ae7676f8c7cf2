package io.tensorferry.verbs.device.choice;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.DeviceRequirement;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RdmaSetting;
import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.choice.ChoiceExplanation.Taken;
import io.tensorferry.verbs.device.choice.DeviceExamination.Finding;
import io.tensorferry.verbs.device.choice.DeviceExamination.Unfit;
import io.tensorferry.verbs.device.choice.DeviceExamination.Unusable;
import io.tensorferry.verbs.device.choice.DeviceExamination.Usable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Examines all devices in order of preference, chooses one, and records the reason against each other device.
///
/// The chosen device stays open and belongs to the caller; every other device is closed again.
///
/// Threading: one thread.
final class DeviceSearch {
    private final RdmaConfig config;
    private final List<VerbsProvider> providers;
    private final boolean thorough;
    private final List<ProviderCandidate> seen = new ArrayList<>();
    private @Nullable ChosenPort chosen;
    private @Nullable Taken taken;
    private @Nullable RuntimeException failure;
    // A device rejected the worker's address: a misconfiguration of the cluster, not of the device.
    private boolean hasForeignAddress;

    /// @param providers in order of preference
    /// @param thorough whether to also open the devices after the chosen one, to report whether they are usable
    DeviceSearch(RdmaConfig config, List<VerbsProvider> providers, boolean thorough) {
        this.config = config;
        this.providers = providers;
        this.thorough = thorough;
    }

    /// Runs the search. If it throws, no device is open.
    ChoiceExplanation run() {
        try {
            for (VerbsProvider provider : providers) {
                look(provider);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        if (taken == null && failure == null) {
            failure = nothingFound();
        }
        return explanation();
    }

    /// Returns the choice, with the device open.
    ///
    /// @throws IllegalArgumentException if the configuration prevented a choice
    /// @throws TransportException if no device is usable
    ChosenPort chosenOrThrow() {
        if (chosen == null) {
            throw failure == null ? new IllegalStateException("run() comes first") : failure;
        }
        return chosen;
    }

    /// Closes the chosen device.
    void close() {
        if (chosen != null) {
            chosen.device().close();
        }
    }

    private ChoiceExplanation explanation() {
        return new ChoiceExplanation(seen, taken, failure == null ? null : failure.getMessage());
    }

    private void look(VerbsProvider provider) {
        var devices = new ArrayList<DeviceCandidate>();
        for (String name : provider.deviceNames()) {
            devices.add(look(provider, name));
        }
        seen.add(new ProviderCandidate(provider.name(), provider.obstacle(), devices));
    }

    private DeviceCandidate look(VerbsProvider provider, String name) {
        String wanted = config.device();
        if (wanted != null && !wanted.equals(name)) {
            return passedOver(provider, name, RdmaSetting.DEVICE + " names " + wanted, List.of());
        }
        if (failure != null) {
            return passedOver(provider, name, "was not looked at", List.of());
        }
        if (taken != null && !thorough) {
            return passedOver(provider, name, "comes after " + taken.device().name(), List.of());
        }
        VerbsDevice device;
        try {
            device = provider.open(name);
        } catch (VerbsException e) {
            hasForeignAddress |= e.errno() == VerbsException.EADDRNOTAVAIL;
            return unusable(provider, name, "cannot be opened: " + e.getMessage(), List.of());
        }
        boolean kept = false;
        try {
            if (config.require() == DeviceRequirement.HARDWARE && isSoftware(provider, device)) {
                return unusable(
                        provider,
                        name,
                        "is not hardware, and " + RdmaSetting.REQUIRE + " is " + config.require(),
                        List.of());
            }
            DeviceCandidate candidate = judge(provider, device, DeviceExamination.examine(config, device));
            kept = candidate.verdict() == Verdict.TAKEN;
            return candidate;
        } finally {
            if (!kept) {
                device.close();
            }
        }
    }

    private static boolean isSoftware(VerbsProvider provider, VerbsDevice device) {
        return DeviceChoice.isSoftware(provider.name())
                || device.description().transport() == DeviceDescription.Transport.SOFTWARE;
    }

    private DeviceCandidate judge(VerbsProvider provider, VerbsDevice device, Finding finding) {
        String name = device.name();
        return switch (finding) {
            case Usable(ChosenPort port, List<PortCandidate> ports) -> {
                if (taken != null) {
                    yield passedOver(
                            provider,
                            name,
                            "could be used, but " + taken.device().name() + " comes first",
                            ports);
                }
                var candidate = new DeviceCandidate(provider.name(), name, Verdict.TAKEN, whyTaken(provider), ports);
                chosen = port;
                taken = new Taken(candidate, port.portNumber(), port.gid(), port.mtu());
                yield candidate;
            }
            case Unusable(String obstacle, List<PortCandidate> ports) -> unusable(provider, name, obstacle, ports);
            case Unfit(IllegalArgumentException error, List<PortCandidate> ports) -> {
                if (taken == null) {
                    failure = error;
                }
                yield new DeviceCandidate(
                        provider.name(), name, Verdict.REFUSED, "does not fit: " + error.getMessage(), ports);
            }
        };
    }

    private DeviceCandidate unusable(VerbsProvider provider, String name, String obstacle, List<PortCandidate> ports) {
        if (config.device() != null) {
            String why = RdmaSetting.DEVICE + " is " + name + ", which " + obstacle;
            failure = hasForeignAddress ? foreignAddress(why) : new IllegalArgumentException(why);
        }
        return new DeviceCandidate(provider.name(), name, Verdict.REFUSED, obstacle, ports);
    }

    private static DeviceCandidate passedOver(
            VerbsProvider provider, String name, String reason, List<PortCandidate> ports) {
        return new DeviceCandidate(provider.name(), name, Verdict.PASSED_OVER, reason, ports);
    }

    private String whyTaken(VerbsProvider provider) {
        if (config.device() != null) {
            return "is named by " + RdmaSetting.DEVICE;
        }
        if (DeviceChoice.isSoftware(provider.name())) {
            return seen.stream().allMatch(other -> other.devices().isEmpty())
                    ? "is taken because no RDMA device is present"
                    : "is taken because no RDMA device is usable";
        }
        return "is the first usable device";
    }

    private static TransportException foreignAddress(String why) {
        return new TransportException(
                StatusCode.FAILED_PRECONDITION,
                why + "; the worker's address must be an address of this machine, as peers connect to it");
    }

    private RuntimeException nothingFound() {
        String wanted = config.device();
        List<String> refusals = explanation().refusals();
        if (wanted == null) {
            String why =
                    "there is no usable RDMA device" + (refusals.isEmpty() ? "" : ": " + String.join("; ", refusals));
            if (config.require() == DeviceRequirement.HARDWARE) {
                return new TransportException(
                        StatusCode.FAILED_PRECONDITION,
                        why + "; make one usable ('tensorferry devices' shows all devices), or set "
                                + RdmaSetting.REQUIRE.variable() + "=" + DeviceRequirement.ANY);
            }
            return hasForeignAddress ? foreignAddress(why) : new TransportException(StatusCode.UNAVAILABLE, why);
        }
        List<String> names = explanation()
                .devices()
                .map(device -> device.name() + " (" + device.provider() + ")")
                .toList();
        String existing = names.isEmpty() ? "there is none" : String.join(", ", names);
        return RdmaSetting.DEVICE.refused(
                wanted,
                "a device that exists: " + existing + (refusals.isEmpty() ? "" : "; " + String.join("; ", refusals)));
    }
}
