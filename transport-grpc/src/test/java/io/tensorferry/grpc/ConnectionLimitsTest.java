package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.grpc.admission.ConnectionLimits;
import io.tensorferry.grpc.cluster.WorkerAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Clients that open connections without authentication.
@Timeout(60)
class ConnectionLimitsTest {
    private static final ConnectionLimits LIMITS = ConnectionLimits.forCluster(2);

    private final TestAuthority authority = TestAuthority.create("authority");
    private final TestCluster cluster = new TestCluster(2);
    private final List<Socket> sockets = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        cluster.close();
    }

    private TransportServer start(int task) {
        return cluster.add(cluster.builder(task)
                .security(authority.files(folder, TestAuthority.worker(task)))
                .start());
    }

    private Socket open() throws IOException {
        WorkerAddress target = cluster.spec.addressOf("worker", 0);
        var socket = new Socket(target.host(), target.port());
        sockets.add(socket);
        return socket;
    }

    private static boolean isClosedWithin(Socket socket, int millis) throws IOException {
        socket.setSoTimeout(millis);
        try (InputStream in = socket.getInputStream()) {
            return in.read() < 0;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (SocketException _) {
            return true;
        }
    }

    @Test
    void strangersHaveALimitAndAPeerThatIsConnectedGoesOn() throws Exception {
        TransportServer producer = start(0);
        TransferLoop loop = TransferLoop.start(producer, start(1));
        loop.awaitMore(3);
        for (int i = 0; i < LIMITS.unprovenPerHost(); i++) {
            open();
        }
        int more = 20;
        for (int i = 0; i < more; i++) {
            assertThat(isClosedWithin(open(), 20_000))
                    .as("one more than the limit")
                    .isTrue();
        }
        assertThat(isClosedWithin(sockets.getFirst(), 1))
                .as("one within the limit")
                .isFalse();
        assertThat(producer.statistics().refusedConnections()).isGreaterThanOrEqualTo(more);
        loop.awaitMore(3);
        assertThat(loop.end()).isPositive();
    }

    @Test
    void whoSaysNothingIsHungUpOn() throws Exception {
        TransportServer producer = start(0);
        assertThat(isClosedWithin(open(), 20_000)).as("after 10 s").isTrue();
        awaitRefused(producer, 1);
    }

    /// The client may see the end of a connection before the server counts it.
    private static void awaitRefused(TransportServer server, long count) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (server.statistics().refusedConnections() < count) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(2);
        }
        assertThat(server.statistics().refusedConnections()).isEqualTo(count);
    }

    @Test
    void aPeerWithTooManyConnectionsLosesItsOldest() throws Exception {
        TransportServer producer = start(0);
        String address = cluster.spec.address("worker", 0);
        var certificate = authority.issue(TestAuthority.worker(1));
        var callers = new ArrayList<Stranger>();
        try {
            for (int i = 0; i <= LIMITS.perWorker(); i++) {
                callers.add(Stranger.with(certificate, address));
                assertThat(callers.getLast().ping(TestAuthority.worker(1)).isOk())
                        .isTrue();
            }
            awaitRefused(producer, 1);
        } finally {
            callers.forEach(Stranger::close);
        }
    }
}
