package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.grpc.cluster.WorkerAddress;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Clients of another protocol at the port of a plaintext worker: they are counted and disconnected, and gRPC logs
@Timeout(30)
class PrefaceCheckTest {
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    private final TestCluster cluster = new TestCluster(1);

    @AfterEach
    void stop() {
        cluster.close();
    }

    private Socket dial() throws IOException {
        WorkerAddress address = cluster.spec.addressOf("worker", 0);
        return new Socket(address.host(), address.port());
    }

    private static void awaitEnd(Socket socket) {
        try {
            while (socket.getInputStream().read() >= 0) {
                // The first bytes of the server do not matter.
            }
        } catch (IOException _) {
            // The same, the hard way.
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\n\r\n", "\u0016\u0003\u0001", "PRI * HTTP/1.1\r\n\r\n", "PUT", "\u0000"})
    void whoDoesNotBeginAsHttp2DoesIsHungUpOn(String beginning) throws Exception {
        TransportServer server = cluster.add(cluster.builder(0).start());
        try (var grpc = new GrpcLines();
                Socket socket = dial()) {
            socket.getOutputStream().write(beginning.getBytes(StandardCharsets.ISO_8859_1));
            awaitEnd(socket);
            assertThat(server.statistics().refusedConnections()).isOne();
            assertThat(grpc.lines()).isEmpty();
        }
    }

    @Test
    void aPrefaceThatComesInPiecesIsAccepted() throws Exception {
        TransportServer server = cluster.add(cluster.builder(0).start());
        try (Socket socket = dial()) {
            socket.setTcpNoDelay(true);
            for (byte each : PREFACE.getBytes(StandardCharsets.US_ASCII)) {
                socket.getOutputStream().write(each);
                Thread.sleep(2);
            }
            // Empty SETTINGS: the server acknowledges them, after its own.
            socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
            assertThat(socket.getInputStream().readNBytes(9)).hasSize(9);
            assertThat(server.statistics().refusedConnections()).isZero();
        }
    }
}
