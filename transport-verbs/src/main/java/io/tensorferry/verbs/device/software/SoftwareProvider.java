package io.tensorferry.verbs.device.software;

import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.software.connect.InterprocessCarrier;
import io.tensorferry.verbs.device.software.connect.ListenOptions;
import io.tensorferry.verbs.device.software.core.DeviceProfile;
import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.SoftwareDevice;
import io.tensorferry.verbs.device.software.shared.SharedMemory;
import java.net.Inet4Address;
import java.security.SecureRandom;
import java.util.List;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The device that is always there: `soft0`, reliable-connected queue pairs in user space, through shared memory on one
/// host and over TCP between hosts.
///
/// Each opening makes a device of its own, with an I/O thread and a listening socket on a free port. The port is
/// its LID, the IPv4 address its GID.
///
/// Threading: any thread.
public final class SoftwareProvider implements VerbsProvider {
    /// The device's name.
    public static final String DEVICE = "soft0";

    private static final Logger LOG = LoggerFactory.getLogger(SoftwareProvider.class);
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
        var place = new ListenOptions(
                DEVICE, (Inet4Address) options.bindAddress(), BACKLOG, options.helloTimeout(), options.mostGreetings());
        var random = new SecureRandom();
        InterprocessCarrier carrier = InterprocessCarrier.listen(place, counters);
        try {
            shareMemory(carrier, random);
            return SoftwareDevice.open(
                    DeviceProfile.of(DEVICE, options.mtu(), options.maxMessageBytes()), carrier, counters, random);
        } catch (RuntimeException failure) {
            carrier.close();
            throw failure;
        }
    }

    /// Has a device reach peers of its host through shared memory, if that is wanted and possible.
    private void shareMemory(InterprocessCarrier carrier, RandomGenerator random) {
        if (options.carrier() == SoftCarrier.TCP) {
            return;
        }
        boolean only = options.carrier() == SoftCarrier.SHARED;
        String obstacle = SharedMemory.obstacle();
        if (obstacle == null) {
            carrier.use(new SharedMemory(carrier.loop(), counters, random, DEVICE), only);
        } else if (only) {
            throw new VerbsException(
                    "ibv_open_device",
                    VerbsException.EOPNOTSUPP,
                    "peers are to be reached through shared memory alone (RDMA_SOFT_CARRIER=shared), but " + obstacle);
        } else {
            LOG.info("{} reaches all peers over TCP: {}", DEVICE, obstacle);
        }
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

    /// Payload bytes that were copied from memory to memory in addition: through shared memory, those that lie in no
    /// memory file of their device, at either end. Over TCP none.
    public long payloadBytesCopied() {
        return counters.copied();
    }

    /// Payload bytes that came from the memory of a peer on this host straight into registered memory, by one copy.
    public long payloadBytesShared() {
        return counters.shared();
    }

    /// How often a queue pair reached its peer through shared memory.
    public long sharedConnections() {
        return counters.sharedConnections();
    }

    /// How often a queue pair reached its peer over TCP.
    public long tcpConnections() {
        return counters.tcpConnections();
    }
}
