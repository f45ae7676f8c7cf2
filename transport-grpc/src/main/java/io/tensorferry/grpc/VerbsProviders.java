package io.tensorferry.grpc;

import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.ibverbs.IbverbsProvider;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;

/// The library's own sources of devices, in order of preference.
final class VerbsProviders {
    private VerbsProviders() {}

    /// @param address where peers reach this worker: the software device listens there
    static List<VerbsProvider> at(InetAddress address) {
        return List.of(new IbverbsProvider(), software(address));
    }

    private static VerbsProvider software(InetAddress address) {
        SoftwareOptions options = SoftwareOptions.defaults();
        if (address instanceof Inet4Address) {
            return new SoftwareProvider(options.withBindAddress(address));
        }
        if (address.isLoopbackAddress()) {
            // The software device speaks IPv4 only; on this machine 127.0.0.1 serves as well.
            return new SoftwareProvider(options);
        }
        throw new IllegalArgumentException("the software device needs an IPv4 address, and this worker's is "
                + address.getHostAddress() + "; give the cluster IPv4 addresses, or use the protocol '"
                + ServerConfig.GRPC + "'");
    }
}
