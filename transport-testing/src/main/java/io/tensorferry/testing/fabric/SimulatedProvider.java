package io.tensorferry.testing.fabric;

import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.software.core.DeviceProfile;
import io.tensorferry.verbs.device.software.core.SoftwareDevice;
import java.util.List;

/// The devices of one simulated node.
final class SimulatedProvider implements VerbsProvider {
    private static final int MTU = 4096;

    private final SimulatedFabric fabric;
    private final String node;

    SimulatedProvider(SimulatedFabric fabric, String node) {
        this.fabric = fabric;
        this.node = node;
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public List<String> deviceNames() {
        return List.of(SimulatedFabric.DEVICE);
    }

    @Override
    public VerbsDevice open(String deviceName) {
        if (!deviceName.equals(SimulatedFabric.DEVICE)) {
            throw new VerbsException(
                    "ibv_open_device", VerbsException.ENODEV, "there is no simulated device " + deviceName);
        }
        return SoftwareDevice.open(
                DeviceProfile.of(deviceName, MTU, fabric.options().maxMessageBytes())
                        .withMaxWindowBytes(fabric.options().maxWindowBytes()),
                new SimulatedCarrier(fabric, node, new SimulatedPort(fabric.gidOf(node), fabric.nextLid())),
                fabric.counters(),
                fabric.random());
    }
}
