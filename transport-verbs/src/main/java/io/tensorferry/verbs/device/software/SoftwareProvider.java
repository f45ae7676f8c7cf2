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

/// Provides `soft0`, the device that every host has: reliable-connected queue pairs in user space, over shared memory
/// within a host and over TCP between hosts.
///
/// Each open call creates a separate device with an I/O thread and a listening socket on a free port. The port is the
/// device's LID, the IPv4 address its GID.
///
/// Threading: any thread.
public final class SoftwareProvider implements VerbsProvider {
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

    /// Makes the device reach peers on its host through shared memory, if the options request it and the system
    /// supports it.
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
                    "RDMA_SOFT_CARRIER=shared reaches peers only through shared memory, but " + obstacle);
        } else {
            LOG.info("{} reaches all peers over TCP: {}", DEVICE, obstacle);
        }
    }

    /// Payload bytes that the kernel read directly from registered memory, summed over all devices opened here.
    public long payloadBytesSent() {
        return counters.sent();
    }

    /// Payload bytes that the kernel wrote directly into registered memory.
    public long payloadBytesReceived() {
        return counters.received();
    }

    /// Payload bytes with an additional memory-to-memory copy. Shared memory copies payload outside the device's memory
    /// files, at either end; TCP never does.
    public long payloadBytesCopied() {
        return counters.copied();
    }

    /// Payload bytes copied once, from the memory of a peer on this host directly into registered memory.
    public long payloadBytesShared() {
        return counters.shared();
    }

    /// The number of connections that queue pairs made through shared memory.
    public long sharedConnections() {
        return counters.sharedConnections();
    }

    /// The number of connections that queue pairs made over TCP.
    public long tcpConnections() {
        return counters.tcpConnections();
    }
}
