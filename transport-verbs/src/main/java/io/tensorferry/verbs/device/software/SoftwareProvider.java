package io.tensorferry.verbs.device.software;

import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.software.core.DeviceProfile;
import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.SoftwareDevice;
import io.tensorferry.verbs.device.software.tcp.TcpCarrier;
import io.tensorferry.verbs.device.software.tcp.TcpOptions;
import java.net.Inet4Address;
import java.security.SecureRandom;
import java.util.List;

/// The device that is always there: `soft0`, reliable-connected queue pairs in user space over TCP.
///
/// Each opening makes a device of its own, with an I/O thread and a listening socket on a free port. The port is
/// its LID, the IPv4 address its GID.
///
/// Threading: any thread.
public final class SoftwareProvider implements VerbsProvider {
    /// The device's name.
    public static final String DEVICE = "soft0";

    private static final int BACKLOG = 1024;

    private final SoftwareOptions options;
    private final PayloadCounters counters = new PayloadCounters();

    public SoftwareProvider() {
        this(SoftwareOptions.defaults());
    }

    public SoftwareProvider(SoftwareOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return "software";
    }

    @Override
    public List<String> deviceNames() {
        return List.of(DEVICE);
    }

    @Override
    public VerbsDevice open(String deviceName) {
        if (!deviceName.equals(DEVICE)) {
            throw new VerbsException(
                    "ibv_open_device",
                    VerbsException.ENODEV,
                    "there is no software device " + deviceName + ", only " + DEVICE);
        }
        var place = new TcpOptions(
                DEVICE, (Inet4Address) options.bindAddress(), BACKLOG, options.helloTimeout(), options.mostGreetings());
        return SoftwareDevice.open(
                DeviceProfile.of(DEVICE, options.mtu(), options.maxMessageBytes()),
                TcpCarrier.listen(place, counters),
                counters,
                new SecureRandom());
    }

    /// Payload bytes that went from registered memory straight to the kernel, over all devices that were opened
    /// here.
    public long payloadBytesSent() {
        return counters.sent();
    }

    /// Payload bytes that the kernel put straight into registered memory.
    public long payloadBytesReceived() {
        return counters.received();
    }

    /// Payload bytes that were copied from memory to memory on the way: none.
    public long payloadBytesCopied() {
        return counters.copied();
    }
}
