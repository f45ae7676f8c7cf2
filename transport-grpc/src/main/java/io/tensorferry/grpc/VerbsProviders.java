package io.tensorferry.grpc;

import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.ibverbs.IbverbsOptions;
import io.tensorferry.verbs.device.ibverbs.IbverbsProvider;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;

/// This library's own sources of devices, in order of preference: what a server uses that is given no other, and
/// what a tool lists that wants to say which device a server would take.
public final class VerbsProviders {
    private VerbsProviders() {}

    /// All sources for a worker that peers reach at `address`. Opens nothing.
    ///
    /// @param address an address of this machine: the software device would listen there. It speaks IPv4 only, so at
    ///     an IPv6 address other than loopback its provider has no device, and says so
    public static List<VerbsProvider> forHost(InetAddress address) {
        return forHost(address, RdmaConfig.builder().build());
    }

    /// As [#forHost(InetAddress)].
    ///
    /// @param config of which the sources have what they need before a device is open: how the software device reaches
    ///     its peers, and in what memory the bytes of messages may come in any order
    public static List<VerbsProvider> forHost(InetAddress address, RdmaConfig config) {
        // The software device is the last resort.
        return List.of(
                new IbverbsProvider(IbverbsOptions.defaults().withRelaxedOrdering(config.relaxedOrdering())),
                software(address, config.softCarrier()));
    }

    private static VerbsProvider software(InetAddress address, SoftCarrier carrier) {
        SoftwareOptions options = SoftwareOptions.defaults().withCarrier(carrier);
        if (address instanceof Inet4Address) {
            return new SoftwareProvider(options.withBindAddress(address));
        }
        if (address.isLoopbackAddress()) {
            // On this machine 127.0.0.1 serves as well.
            return new SoftwareProvider(options);
        }
        return new Absent(
                "software",
                "the software device needs an IPv4 address, and this worker's is " + address.getHostAddress()
                        + "; give the cluster IPv4 addresses, or use the protocol '" + ServerConfig.GRPC + "'");
    }

    /// A provider that has no device.
    private record Absent(String name, String obstacle) implements VerbsProvider {
        @Override
        public List<String> deviceNames() {
            return List.of();
        }

        @Override
        public VerbsDevice open(String deviceName) {
            throw new VerbsException("ibv_open_device", VerbsException.ENODEV, obstacle);
        }
    }
}
