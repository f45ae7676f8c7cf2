package io.tensorferry.it.interop;

import io.tensorferry.verbs.device.QueuePairAddress;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;

/// Exchanges the addresses of the two ends of a ping-pong over TCP: first the client's, then the server's, and then
/// `done` from the client. Each text ends with a zero byte.
final class PingPongHandshake {
    private static final String DONE = "done";
    private static final Duration RETRY_INTERVAL = Duration.ofMillis(20);

    private PingPongHandshake() {}

    /// The client's side: sends its address and returns the server's. Retries while no server listens.
    ///
    /// @throws IOException if the server does not listen in time, or ends the connection
    static QueuePairAddress ask(String host, int port, QueuePairAddress own, Duration limit)
            throws IOException, InterruptedException {
        try (Socket socket = connect(new InetSocketAddress(host, port), limit)) {
            socket.setSoTimeout(Math.toIntExact(limit.toMillis()));
            write(socket, AddressText.of(own));
            QueuePairAddress peer = AddressText.parse(read(socket, AddressText.LENGTH));
            write(socket, DONE);
            return peer;
        }
    }

    private static Socket connect(InetSocketAddress address, Duration limit) throws IOException, InterruptedException {
        long deadlineNs = System.nanoTime() + limit.toNanos();
        while (true) {
            var socket = new Socket();
            try {
                socket.connect(address, Math.toIntExact(limit.toMillis()));
                return socket;
            } catch (IOException e) {
                socket.close();
                if (System.nanoTime() > deadlineNs) {
                    throw e;
                }
                Thread.sleep(RETRY_INTERVAL);
            }
        }
    }

    /// The server's side: waits for one client.
    ///
    /// @param listener bound; stays open
    /// @param connect makes the queue pair ready to receive from this address; runs before the server's address is sent
    /// @throws IOException if no client connects in time, or it ends the connection
    static void answer(ServerSocket listener, QueuePairAddress own, Duration limit, Consumer<QueuePairAddress> connect)
            throws IOException {
        listener.setSoTimeout(Math.toIntExact(limit.toMillis()));
        try (Socket socket = listener.accept()) {
            socket.setSoTimeout(Math.toIntExact(limit.toMillis()));
            connect.accept(AddressText.parse(read(socket, AddressText.LENGTH)));
            write(socket, AddressText.of(own));
            read(socket, DONE.length());
        }
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write((text + '\0').getBytes(StandardCharsets.US_ASCII));
    }

    private static String read(Socket socket, int length) throws IOException {
        byte[] bytes = new byte[length + 1];
        new DataInputStream(socket.getInputStream()).readFully(bytes);
        return new String(bytes, 0, length, StandardCharsets.US_ASCII);
    }
}
