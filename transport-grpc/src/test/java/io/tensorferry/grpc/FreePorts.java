package io.tensorferry.grpc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/// Loopback ports without a listener at the time of the call.
public final class FreePorts {
    // Below the ports that Linux gives to outgoing connections (from 32768), so that no connection takes one before
    // its server does.
    private static final int LOWEST = 15_000;
    private static final int END = 32_000;
    // The JVMs that share a module's tests are numbered from 1. Each has ports of its own, so that none takes a port
    // that another has found free and not bound yet.
    private static final int FORKS = 2;
    private static final int SHARE = (END - LOWEST) / FORKS;
    private static final int FIRST = LOWEST + (Integer.getInteger("test.fork", 1) - 1) % FORKS * SHARE;

    private FreePorts() {}

    /// Addresses as `127.0.0.1:port`, all different.
    public static List<String> addresses(int count) {
        var addresses = new ArrayList<String>();
        while (addresses.size() < count) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, FIRST + SHARE);
            String address = "127.0.0.1:" + port;
            if (!addresses.contains(address) && isFree(port)) {
                addresses.add(address);
            }
        }
        return addresses;
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException _) {
            return false;
        }
    }
}
