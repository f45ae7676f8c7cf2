package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.CompletionChannel;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.DeviceAttributes;
import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.PortAttributes.LinkLayer;
import io.tensorferry.verbs.device.PortAttributes.PortState;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A device that can only be queried: by default one active Ethernet port with one IPv4 GID.
public final class FakeDevice implements VerbsDevice {
    private static final Gid UNUSED = new Gid(0, 0);

    private final String name;
    private boolean writeWithImmediate = true;
    private DeviceDescription.Transport transport = DeviceDescription.Transport.INFINIBAND;
    private List<PortState> ports = List.of(PortState.ACTIVE);
    private LinkLayer linkLayer = LinkLayer.ETHERNET;
    private List<GidEntry> gids = List.of(new GidEntry(0, Gid.ofIpv4(0x0A000001), GidEntry.Type.ROCE_V2));
    private final Map<Integer, String> gidObstacles = new HashMap<>();
    private boolean queryFails;
    Runnable onClose = () -> {};

    public FakeDevice(String name) {
        this.name = name;
    }

    public FakeDevice iwarp() {
        writeWithImmediate = false;
        transport = DeviceDescription.Transport.IWARP;
        return this;
    }

    public FakeDevice ports(PortState... states) {
        ports = List.of(states);
        return this;
    }

    public FakeDevice infiniBand() {
        linkLayer = LinkLayer.INFINIBAND;
        return this;
    }

    public FakeDevice gids(GidEntry... entries) {
        gids = List.of(entries);
        return this;
    }

    FakeDevice gidObstacle(int index, String why) {
        gidObstacles.put(index, why);
        return this;
    }

    public FakeDevice failingQueries() {
        queryFails = true;
        return this;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public DeviceDescription description() {
        return new DeviceDescription(transport, "1.0", 1, 1, 2, 3, 4);
    }

    @Override
    public DeviceAttributes attributes() {
        return new DeviceAttributes(ports.size(), 16, 4096, 1 << 16, 1024, 1L << 40, 0, 0, 16, 16, writeWithImmediate);
    }

    @Override
    public PortAttributes port(int portNumber) {
        if (queryFails) {
            throw new VerbsException("ibv_query_port", VerbsException.EINVAL, "no answer");
        }
        return new PortAttributes(ports.get(portNumber - 1), linkLayer, 1024, 1024, 1 << 30, gids.size(), 2, 0, 0, 0);
    }

    @Override
    public GidEntry gid(int portNumber, int index) {
        return gids.get(index);
    }

    @Override
    public @Nullable String gidObstacle(int portNumber, int index) {
        return gidObstacles.get(index);
    }

    public static GidEntry unused(int index) {
        return new GidEntry(index, UNUSED, GidEntry.Type.ROCE_V1);
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionQueue createCompletionQueue(int minimumEntries, @Nullable CompletionChannel channel) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onAsyncEvent(Consumer<AsyncEvent> listener) {}

    @Override
    public void close() {
        onClose.run();
    }
}
