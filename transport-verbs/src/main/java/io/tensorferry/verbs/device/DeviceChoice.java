package io.tensorferry.verbs.device;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.PortAttributes.PortState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Chooses the device, the port and the GID, and checks the configuration against them.
///
/// Threading: one choice per object, on one thread.
public final class DeviceChoice {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceChoice.class);
    private static final String SOFTWARE = "software";

    private final RdmaConfig config;
    private final List<VerbsProvider> providers;
    private final List<String> skipped = new ArrayList<>();

    private DeviceChoice(RdmaConfig config, List<VerbsProvider> providers) {
        this.config = config;
        this.providers = providers;
    }

    /// Opens the device that the configuration names, or else the first usable one: with RDMA WRITE with immediate,
    /// an active port and a GID. Devices that were opened and not chosen are closed again.
    ///
    /// @param providers in order of preference, the software device last
    /// @return with the opened device, which the caller closes
    /// @throws IllegalArgumentException if the device or the port takes a setting not, naming it, its value and
    ///     what is accepted
    /// @throws TransportException `UNAVAILABLE` if no device is named and none is usable, with the reason for each
    public static ChosenPort choose(RdmaConfig config, List<VerbsProvider> providers) {
        var choice = new DeviceChoice(config, providers);
        String name = config.device();
        return name == null ? choice.firstUsable() : choice.named(name);
    }

    private ChosenPort named(String name) {
        for (VerbsProvider provider : providers) {
            if (provider.deviceNames().contains(name)) {
                return openNamed(provider, name);
            }
        }
        throw RdmaSetting.DEVICE.refused(name, "a device that exists: " + existingDevices());
    }

    private ChosenPort openNamed(VerbsProvider provider, String name) {
        VerbsDevice device;
        try {
            device = provider.open(name);
        } catch (VerbsException e) {
            throw new IllegalArgumentException(
                    RdmaSetting.DEVICE + " is " + name + ", which cannot be opened: " + e.getMessage(), e);
        }
        try {
            if (!device.attributes().writeWithImmediate()) {
                throw RdmaSetting.DEVICE.refused(
                        name, "a device that has RDMA WRITE with immediate, and this one has not");
            }
            return check(provider, device, activePort(device));
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
    }

    private int activePort(VerbsDevice device) {
        int count = device.attributes().portCount();
        Integer wanted = config.port();
        if (wanted == null) {
            int first = firstActivePort(device);
            if (first == 0) {
                throw RdmaSetting.DEVICE.refused(
                        device.name(), "a device with an active port, and none of its " + count + " is");
            }
            return first;
        }
        if (wanted > count) {
            throw RdmaSetting.PORT.refused(wanted, "1 to " + count + " on " + device.name());
        }
        PortState state = device.port(wanted).state();
        if (state != PortState.ACTIVE) {
            throw RdmaSetting.PORT.refused(wanted, "an active port, and this one of " + device.name() + " is " + state);
        }
        return wanted;
    }

    /// 0 where no port is active.
    private static int firstActivePort(VerbsDevice device) {
        for (int port = 1; port <= device.attributes().portCount(); port++) {
            if (device.port(port).state() == PortState.ACTIVE) {
                return port;
            }
        }
        return 0;
    }

    private ChosenPort firstUsable() {
        for (VerbsProvider provider : providers) {
            for (String name : provider.deviceNames()) {
                VerbsDevice device = openUsable(provider, name);
                if (device != null) {
                    return checkOrClose(provider, device);
                }
            }
        }
        throw new TransportException(
                StatusCode.UNAVAILABLE, "there is no usable RDMA device" + (skipped.isEmpty() ? "" : ": " + reasons()));
    }

    private ChosenPort checkOrClose(VerbsProvider provider, VerbsDevice device) {
        try {
            ChosenPort chosen = check(provider, device, firstActivePort(device));
            if (provider.name().equals(SOFTWARE)) {
                reportSoftwareDevice(device.name());
            }
            return chosen;
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
    }

    private @Nullable VerbsDevice openUsable(VerbsProvider provider, String name) {
        VerbsDevice device;
        try {
            device = provider.open(name);
        } catch (VerbsException e) {
            skipped.add(name + " cannot be opened (" + e.getMessage() + ")");
            return null;
        }
        String obstacle;
        try {
            obstacle = obstacle(device);
        } catch (RuntimeException e) {
            obstacle = "cannot be queried (" + e.getMessage() + ")";
        }
        if (obstacle == null) {
            return device;
        }
        device.close();
        skipped.add(name + " " + obstacle);
        return null;
    }

    /// Why a device cannot be used, or null if it can.
    private @Nullable String obstacle(VerbsDevice device) {
        if (!device.attributes().writeWithImmediate()) {
            return "has no RDMA WRITE with immediate";
        }
        int port = firstActivePort(device);
        if (port == 0) {
            return "has no active port";
        }
        if (config.gidIndex() == null && !GidChoice.isPossible(device, port, device.port(port))) {
            return "has no GID on port " + port;
        }
        return null;
    }

    /// Everything that depends on the device and the port.
    private ChosenPort check(VerbsProvider provider, VerbsDevice device, int portNumber) {
        PortAttributes port = device.port(portNumber);
        String place = " on port " + portNumber + " of " + device.name();
        int maxDepth = device.attributes().maxWorkRequests();
        if (config.queueDepth() > maxDepth) {
            throw RdmaSetting.QUEUE_DEPTH.refused(config.queueDepth(), "1 to " + maxDepth + " on " + device.name());
        }
        if (config.pkeyIndex() >= port.pkeyTableLength()) {
            throw RdmaSetting.PKEY_INDEX.refused(config.pkeyIndex(), "0 to " + (port.pkeyTableLength() - 1) + place);
        }
        Integer mtu = config.mtu();
        if (mtu != null && mtu > port.activeMtu()) {
            throw RdmaSetting.MTU.refused(mtu, "256 to the active MTU of " + port.activeMtu() + place);
        }
        if (provider.name().equals(SOFTWARE) && (config.serviceLevel() != 0 || config.trafficClass() != 0)) {
            LOG.debug(
                    "service level {} and traffic class {} mean nothing to the software device {}",
                    config.serviceLevel(),
                    config.trafficClass(),
                    device.name());
        }
        GidEntry gid = gid(device, portNumber, port);
        LOG.debug("chose port {} of {} with GID {}: {}", portNumber, device.name(), gid, port);
        return new ChosenPort(device, portNumber, port, gid, mtu == null ? port.activeMtu() : mtu);
    }

    private GidEntry gid(VerbsDevice device, int portNumber, PortAttributes port) {
        Integer index = config.gidIndex();
        if (index != null) {
            return GidChoice.require(device, portNumber, port, index);
        }
        GidEntry chosen = GidChoice.choose(device, portNumber, port);
        if (chosen == null) {
            throw RdmaSetting.DEVICE.refused(
                    device.name(), "a device with a GID, and its port " + portNumber + " has none");
        }
        return chosen;
    }

    private void reportSoftwareDevice(String name) {
        if (skipped.isEmpty()) {
            LOG.info("no RDMA device is present: tensors travel over the software device {}", name);
        } else {
            LOG.warn("no RDMA device is usable, so tensors travel over the software device {}: {}", name, reasons());
        }
    }

    private String reasons() {
        return String.join("; ", skipped);
    }

    private String existingDevices() {
        List<String> names = providers.stream()
                .flatMap(provider -> provider.deviceNames().stream().map(name -> name + " (" + provider.name() + ")"))
                .toList();
        return names.isEmpty() ? "there is none" : String.join(", ", names);
    }
}
