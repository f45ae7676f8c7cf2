package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RdmaSetting;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.PortAttributes.PortState;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Checks one open device against the configuration: whether it is usable, through which port and GID, and whether it
/// supports the settings.
final class DeviceExamination {
    /// The result of an examination.
    sealed interface Finding {
        List<PortCandidate> ports();
    }

    /// The device is usable with these settings.
    record Usable(ChosenPort port, List<PortCandidate> ports) implements Finding {}

    /// The device is unusable regardless of the settings.
    ///
    /// @param obstacle the reason, in words that follow "mlx5_0 ..."
    record Unusable(String obstacle, List<PortCandidate> ports) implements Finding {}

    /// The device is usable, but not with these settings.
    record Unfit(IllegalArgumentException error, List<PortCandidate> ports) implements Finding {}

    private final RdmaConfig config;
    private final VerbsDevice device;
    private final List<PortCandidate> ports = new ArrayList<>();

    private DeviceExamination(RdmaConfig config, VerbsDevice device) {
        this.config = config;
        this.device = device;
    }

    /// Examines `device`, and leaves it open.
    static Finding examine(RdmaConfig config, VerbsDevice device) {
        var examination = new DeviceExamination(config, device);
        try {
            return examination.run();
        } catch (IllegalArgumentException e) {
            return new Unfit(e, examination.ports);
        } catch (VerbsException e) {
            return new Unusable("cannot be queried: " + e.getMessage(), examination.ports);
        }
    }

    private Finding run() {
        if (!device.attributes().writeWithImmediate()) {
            boolean iwarp = device.description().transport() == DeviceDescription.Transport.IWARP;
            return new Unusable("has no RDMA WRITE with immediate" + (iwarp ? " (iWARP)" : ""), ports);
        }
        int count = device.attributes().portCount();
        Integer wanted = config.port();
        if (wanted != null && wanted > count) {
            throw RdmaSetting.PORT.refused(wanted, "1 to " + count + " on " + device.name());
        }
        PortCandidate port = choosePort(count, wanted);
        if (port == null) {
            if (wanted != null) {
                throw RdmaSetting.PORT.refused(
                        wanted,
                        "an active port, and this one of " + device.name() + " is "
                                + ports.get(wanted - 1).attributes().state());
            }
            return new Unusable("has no active port (" + states() + ")", ports);
        }
        checkSettings(port);
        return takeGid(port);
    }

    private @Nullable PortCandidate choosePort(int count, @Nullable Integer wanted) {
        PortCandidate taken = null;
        for (int number = 1; number <= count; number++) {
            PortAttributes attributes = device.port(number);
            Verdict verdict;
            String reason;
            if (wanted != null && wanted != number) {
                verdict = Verdict.PASSED_OVER;
                reason = RdmaSetting.PORT + " names " + wanted;
            } else if (attributes.state() != PortState.ACTIVE) {
                verdict = Verdict.REFUSED;
                reason = "it is " + attributes.state();
            } else if (taken != null) {
                verdict = Verdict.PASSED_OVER;
                reason = "port " + taken.number() + " comes first";
            } else {
                verdict = Verdict.TAKEN;
                reason = wanted != null ? RdmaSetting.PORT + " names it" : "the first active port";
            }
            var candidate = new PortCandidate(number, attributes, verdict, reason, List.of());
            ports.add(candidate);
            taken = verdict == Verdict.TAKEN ? candidate : taken;
        }
        return taken;
    }

    private String states() {
        return ports.stream()
                .map(port ->
                        "port " + port.number() + " is " + port.attributes().state())
                .collect(Collectors.joining(", "));
    }

    private void checkSettings(PortCandidate port) {
        String place = " on port " + port.number() + " of " + device.name();
        int maxDepth = device.attributes().maxWorkRequests();
        if (config.queueDepth() > maxDepth) {
            throw RdmaSetting.QUEUE_DEPTH.refused(config.queueDepth(), "1 to " + maxDepth + " on " + device.name());
        }
        if (config.rkeyScope() == RemoteKeyScope.REQUEST && !device.attributes().hasMemoryWindows()) {
            throw RdmaSetting.RKEY_SCOPE.refused(
                    config.rkeyScope(),
                    RemoteKeyScope.SLAB + " on " + device.name() + ", which has no memory windows of type 2");
        }
        int pkeys = port.attributes().pkeyTableLength();
        if (config.pkeyIndex() >= pkeys) {
            throw RdmaSetting.PKEY_INDEX.refused(config.pkeyIndex(), "0 to " + (pkeys - 1) + place);
        }
        Integer mtu = config.mtu();
        if (mtu != null && mtu > port.attributes().activeMtu()) {
            throw RdmaSetting.MTU.refused(
                    mtu, "256 to the active MTU of " + port.attributes().activeMtu() + place);
        }
    }

    private static String reasons(List<GidCandidate> refused) {
        return refused.isEmpty()
                ? ""
                : refused.stream()
                        .map(candidate -> candidate.entry() + ": " + candidate.reason())
                        .collect(Collectors.joining("; ", " that can be used (", ")"));
    }

    private Finding takeGid(PortCandidate port) {
        List<GidCandidate> gids = GidChoice.candidates(device, port.number(), port.attributes(), config.gidIndex());
        ports.set(
                port.number() - 1,
                new PortCandidate(port.number(), port.attributes(), port.verdict(), port.reason(), gids));
        Optional<GidEntry> gid = GidChoice.taken(gids);
        if (gid.isEmpty()) {
            return new Unusable("has no GID on port " + port.number() + reasons(gids), ports);
        }
        Integer mtu = config.mtu();
        return new Usable(
                new ChosenPort(
                        device,
                        port.number(),
                        port.attributes(),
                        gid.get(),
                        mtu == null ? port.attributes().activeMtu() : mtu),
                ports);
    }
}
