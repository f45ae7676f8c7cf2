package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A provider with devices of given properties, that remembers which are open.
public final class FakeProvider implements VerbsProvider {
    private final String name;
    private final Map<String, FakeDevice> devices = new LinkedHashMap<>();
    private final Set<String> broken;
    private final List<String> open = new ArrayList<>();
    private final List<String> opened = new ArrayList<>();
    private @Nullable String obstacle;

    public FakeProvider(String name, FakeDevice... devices) {
        this(name, Set.of(), devices);
    }

    /// @param broken devices that cannot be opened
    public FakeProvider(String name, Set<String> broken, FakeDevice... devices) {
        this.name = name;
        this.broken = broken;
        Arrays.stream(devices).forEach(device -> this.devices.put(device.name(), device));
    }

    public FakeProvider obstacle(String why) {
        obstacle = why;
        return this;
    }

    /// Devices that are open.
    public List<String> open() {
        return open;
    }

    /// Devices in the order in which they were opened.
    List<String> opened() {
        return opened;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public @Nullable String obstacle() {
        return obstacle;
    }

    @Override
    public List<String> deviceNames() {
        return List.copyOf(devices.keySet());
    }

    @Override
    public VerbsDevice open(String deviceName) {
        FakeDevice device = devices.get(deviceName);
        if (device == null || broken.contains(deviceName)) {
            throw new VerbsException("ibv_open_device", VerbsException.ENODEV, deviceName + " does not open");
        }
        open.add(deviceName);
        opened.add(deviceName);
        device.onClose = () -> open.remove(deviceName);
        return device;
    }
}
