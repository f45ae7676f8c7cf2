package io.tensorferry.it.device;

import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.device.choice.DeviceChoice;
import io.tensorferry.verbs.device.ibverbs.IbverbsProvider;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.util.List;

/// Opens devices for programs that use verbs directly, in the same way as the transport.
public final class VerbsDevices {
    private VerbsDevices() {}

    /// All kinds of devices, in the transport's order of preference; the software device listens on loopback.
    public static List<VerbsProvider> providers() {
        return List.of(new IbverbsProvider(), new SoftwareProvider());
    }

    /// Opens the configured device, or the first usable one, and chooses port and GID. The caller closes the result.
    ///
    /// @throws IllegalArgumentException if the device does not exist, or does not support a setting
    public static ChosenPort open(RdmaConfig config) {
        var software = new SoftwareProvider(SoftwareOptions.defaults().withCarrier(config.softCarrier()));
        return DeviceChoice.choose(config, List.of(new IbverbsProvider(), software));
    }
}
