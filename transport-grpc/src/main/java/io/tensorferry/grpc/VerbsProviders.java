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

/// Lists this library's device providers, in order of preference. A server uses them unless it is given others; tools
/// use them to determine which device a server would select.
public final class VerbsProviders {
    private VerbsProviders() {}

    /// Returns all providers for a worker that peers reach at `address`. Opens no device.
    ///
    /// @param address an address of this machine, where the software device would listen. The software device supports
    ///     IPv4 only: at an IPv6 address other than loopback, its provider offers no device and reports the reason
    public static List<VerbsProvider> forHost(InetAddress address) {
        return forHost(address, RdmaConfig.builder().build());
    }

    /// Returns all providers, configured by `config`.
    ///
    /// @param address as for [#forHost(InetAddress)]
    /// @param config supplies the settings that providers need before a device is open: the software device's carrier,
    ///     and relaxed ordering of memory regions
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
            // Peers on this machine can reach 127.0.0.1 as well.
            return new SoftwareProvider(options);
        }
        return new Absent(
                "software",
                "the software device needs an IPv4 address, and this worker's is " + address.getHostAddress()
                        + "; give the cluster IPv4 addresses, or use the protocol '" + ServerConfig.GRPC + "'");
    }

    /// A provider that offers no device and reports the reason.
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
