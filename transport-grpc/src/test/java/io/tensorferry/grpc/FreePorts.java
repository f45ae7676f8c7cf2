package io.tensorferry.grpc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/// Loopback ports that nobody listened on a moment ago.
final class FreePorts {
    private FreePorts() {}

    /// Addresses as `127.0.0.1:port`, all different.
    static List<String> addresses(int count) {
        var sockets = new ArrayList<ServerSocket>();
        try {
            var addresses = new ArrayList<String>();
            for (int i = 0; i < count; i++) {
                var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                sockets.add(socket);
                addresses.add("127.0.0.1:" + socket.getLocalPort());
            }
            for (ServerSocket socket : sockets) {
                socket.close();
            }
            return addresses;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
