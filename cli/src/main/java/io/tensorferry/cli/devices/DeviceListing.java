package io.tensorferry.cli.devices;

import io.tensorferry.verbs.device.DeviceAttributes;
import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// The properties that one device reports.
sealed interface DeviceListing {
    String provider();

    String name();

    /// A device that could be read.
    record Read(
            String provider, String name, DeviceDescription description, DeviceAttributes attributes, List<Port> ports)
            implements DeviceListing {}

    /// A device that could not be opened or queried.
    ///
    /// @param failure the verb and its error
    record Unread(String provider, String name, String failure) implements DeviceListing {}

    /// @param gids the used entries of the GID table
    record Port(int number, PortAttributes attributes, List<GidEntry> gids) {}

    /// Lists all devices, opening and closing each.
    static List<DeviceListing> of(List<VerbsProvider> providers) {
        var listings = new ArrayList<DeviceListing>();
        for (VerbsProvider provider : providers) {
            for (String name : provider.deviceNames()) {
                listings.add(read(provider, name));
            }
        }
        return listings;
    }

    private static DeviceListing read(VerbsProvider provider, String name) {
        try (VerbsDevice device = provider.open(name)) {
            List<Port> ports = IntStream.rangeClosed(1, device.attributes().portCount())
                    .mapToObj(number -> readPort(device, number))
                    .toList();
            return new Read(provider.name(), name, device.description(), device.attributes(), ports);
        } catch (VerbsException e) {
            return new Unread(provider.name(), name, String.valueOf(e.getMessage()));
        }
    }

    private static Port readPort(VerbsDevice device, int number) {
        PortAttributes attributes = device.port(number);
        List<GidEntry> gids = IntStream.range(0, attributes.gidTableLength())
                .mapToObj(index -> device.gid(number, index))
                .filter(entry -> !entry.gid().isZero())
                .toList();
        return new Port(number, attributes, gids);
    }
}
