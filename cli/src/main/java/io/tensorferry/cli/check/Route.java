package io.tensorferry.cli.check;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.DatagramChannel;
import java.time.Duration;

/// Finds the route of packets to a peer, as the kernel selects it.
final class Route {
    private Route() {}

    /// The local address from which packets to `peer` are sent. Sends nothing.
    ///
    /// @throws IOException if there is no route
    static InetAddress ownAddressTowards(InetSocketAddress peer) throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.connect(peer);
            return ((InetSocketAddress) channel.getLocalAddress()).getAddress();
        } catch (IOException e) {
            throw new IOException("there is no route to " + text(peer) + ": " + e.getMessage(), e);
        }
    }

    /// Connects by TCP, and closes the connection.
    ///
    /// @param options the options with which the other end must be started, for example ` --allow-insecure`
    /// @return the time to connect, in nanoseconds
    /// @throws IOException if no process listens there, or the connection times out
    static long dial(InetSocketAddress peer, Duration timeout, String options) throws IOException {
        long start = System.nanoTime();
        try (var socket = new Socket()) {
            socket.connect(peer, Math.toIntExact(timeout.toMillis()));
            return System.nanoTime() - start;
        } catch (SocketTimeoutException e) {
            throw new IOException("no answer from " + text(peer) + " within " + timeout.toSeconds() + " s", e);
        } catch (IOException e) {
            throw new IOException(
                    "no server answers at " + text(peer) + " (" + e.getMessage()
                            + "); start one there: tensorferry serve " + text(peer) + options,
                    e);
        }
    }

    /// A currently free port of `address`.
    static int freePort(InetAddress address) throws IOException {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(address, 0));
            return socket.getLocalPort();
        }
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
