package io.tensorferry.verbs.device.software;

import io.tensorferry.verbs.config.SoftCarrier;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.time.Duration;

/// Configuration of a software device.
///
/// @param bindAddress the IPv4 address of a local interface at which peers reach the device; by default the device
///     listens on loopback only
/// @param maxMessageBytes the largest message of one work request (`max_msg_sz`), 1 to 2^32 - 1
/// @param mtu the active MTU that the port reports: 256, 512, 1024, 2048 or 4096
/// @param helloTimeout the time in which a new connection must name the queue pair that it wants
/// @param mostGreetings the maximum number of connections without a hello; the device closes the oldest to admit
///     another
/// @param carrier the carriers over which the device reaches its peers
public record SoftwareOptions(
        InetAddress bindAddress,
        long maxMessageBytes,
        int mtu,
        Duration helloTimeout,
        int mostGreetings,
        SoftCarrier carrier) {
    private static final long MAX_LENGTH = 0xFFFF_FFFFL;

    /// @throws IllegalArgumentException if a value is out of its range
    public SoftwareOptions {
        if (!(bindAddress instanceof Inet4Address) || bindAddress.isAnyLocalAddress()) {
            throw new IllegalArgumentException(
                    "bindAddress " + bindAddress.getHostAddress() + " must be the IPv4 address of an interface");
        }
        if (maxMessageBytes < 1 || maxMessageBytes > MAX_LENGTH) {
            throw new IllegalArgumentException("maxMessageBytes " + maxMessageBytes + " must be 1 to " + MAX_LENGTH);
        }
        if (Integer.bitCount(mtu) != 1 || mtu < 256 || mtu > 4096) {
            throw new IllegalArgumentException("mtu " + mtu + " must be 256, 512, 1024, 2048 or 4096");
        }
        if (!helloTimeout.isPositive()) {
            throw new IllegalArgumentException("helloTimeout " + helloTimeout + " must be more than 0");
        }
        if (mostGreetings < 1) {
            throw new IllegalArgumentException("mostGreetings " + mostGreetings + " must be 1 or more");
        }
    }

    /// 127.0.0.1, messages up to 1 GiB, MTU 4096.
    public static SoftwareOptions defaults() {
        return new SoftwareOptions(
                InetAddress.ofLiteral("127.0.0.1"), 1L << 30, 4096, Duration.ofSeconds(5), 256, SoftCarrier.AUTO);
    }

    public SoftwareOptions withBindAddress(InetAddress address) {
        return new SoftwareOptions(address, maxMessageBytes, mtu, helloTimeout, mostGreetings, carrier);
    }

    public SoftwareOptions withMaxMessageBytes(long bytes) {
        return new SoftwareOptions(bindAddress, bytes, mtu, helloTimeout, mostGreetings, carrier);
    }

    public SoftwareOptions withMtu(int bytes) {
        return new SoftwareOptions(bindAddress, maxMessageBytes, bytes, helloTimeout, mostGreetings, carrier);
    }

    public SoftwareOptions withHelloTimeout(Duration timeout) {
        return new SoftwareOptions(bindAddress, maxMessageBytes, mtu, timeout, mostGreetings, carrier);
    }

    public SoftwareOptions withMostGreetings(int most) {
        return new SoftwareOptions(bindAddress, maxMessageBytes, mtu, helloTimeout, most, carrier);
    }

    public SoftwareOptions withCarrier(SoftCarrier way) {
        return new SoftwareOptions(bindAddress, maxMessageBytes, mtu, helloTimeout, mostGreetings, way);
    }
}
