package io.tensorferry.it.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/// Finds ports that servers on this machine can listen on.
public final class FreePorts {
    // Below the range that Linux assigns to outgoing connections (from 32768), so that no connection takes a port
    // before its server does.
    private static final int LOWEST = 15_000;
    private static final int END = 32_000;
    // The JVMs that share a module's tests are numbered from 1. Each has ports of its own, so that none takes a port
    // that another has found free and not bound yet.
    private static final int FORKS = 2;
    private static final int SHARE = (END - LOWEST) / FORKS;
    private static final int FIRST = LOWEST + (Integer.getInteger("test.fork", 1) - 1) % FORKS * SHARE;

    private FreePorts() {}

    /// Picks `count` different ports that are free now.
    public static List<Integer> pick(int count) {
        var ports = new ArrayList<Integer>();
        while (ports.size() < count) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, FIRST + SHARE);
            if (!ports.contains(port) && isFree(port)) {
                ports.add(port);
            }
        }
        return List.copyOf(ports);
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException _) {
            return false;
        }
    }
}
