package io.tensorferry.cli.devices;

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
import io.tensorferry.verbs.device.VerbsProvider;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A network card that can only be queried: two Ethernet ports, the first down, the second with three GIDs and a free
/// entry.
///
/// @param iwarp whether it is an iWARP card
record FakeNic(String name, boolean iwarp) implements VerbsDevice {
    static final Gid LINK_LOCAL = new Gid(0xFE80_0000_0000_0000L, 0x5054_00FF_FE12_3456L);
    private static final List<GidEntry> GIDS = List.of(
            new GidEntry(0, LINK_LOCAL, GidEntry.Type.ROCE_V1),
            new GidEntry(1, LINK_LOCAL, GidEntry.Type.ROCE_V2),
            new GidEntry(2, new Gid(0, 0), GidEntry.Type.ROCE_V1),
            new GidEntry(3, Gid.ofIpv4(0x0A00_0001), GidEntry.Type.ROCE_V2));

    /// libibverbs with these devices; one whose name begins with "broken" cannot be opened.
    static VerbsProvider libibverbs(@Nullable String obstacle, FakeNic... nics) {
        return new VerbsProvider() {
            @Override
            public String name() {
                return "libibverbs";
            }

            @Override
            public @Nullable String obstacle() {
                return obstacle;
            }

            @Override
            public List<String> deviceNames() {
                return Arrays.stream(nics).map(FakeNic::name).toList();
            }

            @Override
            public VerbsDevice open(String deviceName) {
                if (deviceName.startsWith("broken")) {
                    throw new VerbsException("ibv_open_device", VerbsException.EACCES, deviceName + " is not for you");
                }
                return Arrays.stream(nics)
                        .filter(nic -> nic.name.equals(deviceName))
                        .findFirst()
                        .orElseThrow();
            }
        };
    }

    @Override
    public DeviceDescription description() {
        return new DeviceDescription(
                iwarp ? DeviceDescription.Transport.IWARP : DeviceDescription.Transport.INFINIBAND,
                "16.35.2000",
                0x506B_4B03_00F4_7D1CL,
                0x506B_4B03_00F4_7D1DL,
                0x02C9,
                4119,
                0x1A);
    }

    @Override
    public DeviceAttributes attributes() {
        return new DeviceAttributes(2, 262_144, 32_768, 4_194_303, 16_777_216, -1L, 0, 0, 16, 32, !iwarp);
    }

    @Override
    public PortAttributes port(int portNumber) {
        return new PortAttributes(
                portNumber == 1 ? PortState.DOWN : PortState.ACTIVE,
                LinkLayer.ETHERNET,
                4096,
                1024,
                1 << 30,
                GIDS.size(),
                128,
                17,
                3,
                9);
    }

    @Override
    public GidEntry gid(int portNumber, int index) {
        return GIDS.get(index);
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
    public void close() {}
}
