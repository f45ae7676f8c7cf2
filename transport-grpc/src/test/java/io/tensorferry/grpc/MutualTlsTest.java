package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.netty.pkitesting.X509Bundle;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.grpc.cluster.WorkerAddress;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Two workers of a cluster of three that speak mutual TLS, and callers without a valid identity: each such caller
/// is refused with a status that states the reason, and the transfers between the two workers continue correctly.
@Timeout(120)
class MutualTlsTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String PRODUCER = TestAuthority.worker(0);
    private static final String CONSUMER = TestAuthority.worker(1);
    private static final String THIRD = TestAuthority.worker(2);

    private final TestAuthority authority = TestAuthority.create("authority");
    private final TestCluster cluster = new TestCluster(3);

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        cluster.close();
    }

    private TransportServer start(String protocol, int task) {
        return cluster.add(cluster.builder(task)
                .protocol(protocol)
                .security(authority.files(folder, TestAuthority.worker(task)))
                .start());
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void tensorsTravelBetweenWorkersThatKnowEachOther(String protocol) throws Exception {
        List<TransportServer> servers = List.of(start(protocol, 0), start(protocol, 1), start(protocol, 2));
        for (TransportServer server : servers) {
            server.awaitPeers(SOON);
        }
        int seed = 0;
        for (TransportServer from : servers) {
            for (TransportServer to : servers) {
                if (!from.equals(to)) {
                    TransferLoop.transfer(from, to, 1, seed++);
                }
            }
        }
        for (TransportServer server : servers) {
            assertThat(server.statistics().tensorsReceived()).isEqualTo(2);
            assertThat(server.statistics().refusedCalls()).isZero();
            assertThat(server.statistics().refusedConnections()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aCallerWithoutACertificateIsRefused(String protocol) throws Exception {
        strangersAreRefusedByTls(protocol, null);
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aCallerWithACertificateOfAnotherAuthorityIsRefused(String protocol) throws Exception {
        strangersAreRefusedByTls(protocol, TestAuthority.create("authority").issue(CONSUMER));
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aCallerWithAnExpiredCertificateIsRefused(String protocol) throws Exception {
        strangersAreRefusedByTls(protocol, authority.expired(CONSUMER));
    }

    private void strangersAreRefusedByTls(String protocol, X509Bundle certificate) throws Exception {
        TransportServer producer = start(protocol, 0);
        TransferLoop loop = TransferLoop.start(producer, start(protocol, 1));
        loop.awaitMore(3);
        for (int i = 0; i < 5; i++) {
            try (var stranger = Stranger.with(certificate, address())) {
                assertThat(call(stranger, protocol, CONSUMER).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            }
        }
        loop.awaitMore(3);
        assertThat(loop.end()).isPositive();
        awaitRefusedConnections(producer, 5);
        assertThat(producer.statistics().refusedCalls()).as("TLS refuses them").isZero();
    }

    private String address() {
        return cluster.spec.address("worker", 0);
    }

    private static Status call(Stranger stranger, String protocol, String as) {
        return protocol.equals(ServerConfig.GRPC) ? stranger.ping(as) : stranger.offer(as);
    }

    private static void awaitRefusedConnections(TransportServer server, long least) throws InterruptedException {
        long end = System.nanoTime() + SOON.toNanos();
        while (server.statistics().refusedConnections() < least) {
            assertThat(System.nanoTime())
                    .as("refused so far: %s", server.statistics())
                    .isLessThan(end);
            Thread.sleep(5);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aCallerWithAnotherWorkersCertificateIsRefused(String protocol) throws Exception {
        TransportServer producer = start(protocol, 0);
        TransferLoop loop = TransferLoop.start(producer, start(protocol, 1));
        loop.awaitMore(3);
        var key = RendezvousKey.of(producer.deviceName(0), new DeviceName("worker", 0, 1, "CPU", 0), "loop-0");
        try (var third = Stranger.with(authority.issue(THIRD), address())) {
            for (String as : List.of(CONSUMER, PRODUCER, TestAuthority.worker(7))) {
                List<Status> answers = protocol.equals(ServerConfig.GRPC)
                        ? List.of(third.ping(as), third.receive(as, key))
                        : List.of(third.offer(as), third.ready(as));
                for (Status answer : answers) {
                    assertThat(answer.getCode()).as("%s", answer).isEqualTo(Status.Code.PERMISSION_DENIED);
                }
            }
            assertThat(call(third, protocol, CONSUMER).getDescription())
                    .contains("names itself " + CONSUMER + ", but its certificate is that of")
                    .contains("tensorferry:" + THIRD);
        }
        loop.awaitMore(3);
        assertThat(loop.end()).isPositive();
        assertThat(producer.statistics().refusedCalls()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aCertificateThatIsNoWorkersIsRefused(String protocol) throws Exception {
        TransportServer producer = start(protocol, 0);
        try (var stranger = Stranger.with(authority.issue(), address())) {
            assertThat(call(stranger, protocol, CONSUMER).getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
        }
        awaitRefusedConnections(producer, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aCallerInPlaintextIsRefused(String protocol) throws Exception {
        TransportServer producer = start(protocol, 0);
        TransferLoop loop = TransferLoop.start(producer, start(protocol, 1));
        loop.awaitMore(1);
        try (var stranger = Stranger.inPlaintext(address())) {
            assertThat(call(stranger, protocol, CONSUMER).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        }
        loop.awaitMore(1);
        assertThat(loop.end()).isPositive();
        awaitRefusedConnections(producer, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void garbageEndsItsConnectionAlone(String protocol) throws Exception {
        TransportServer producer = start(protocol, 0);
        TransferLoop loop = TransferLoop.start(producer, start(protocol, 1));
        loop.awaitMore(3);
        var random = new Random(20_261_121);
        int sent = 30;
        for (int i = 0; i < sent; i++) {
            byte[] garbage = new byte[1 + random.nextInt(20_000)];
            random.nextBytes(garbage);
            if (i % 3 == 0) {
                // A record of a handshake, so that the server reads more than the first byte.
                garbage[0] = 22;
            }
            sendAndAwaitEnd(garbage);
        }
        loop.awaitMore(3);
        assertThat(loop.end()).isPositive();
        awaitRefusedConnections(producer, sent);
    }

    private void sendAndAwaitEnd(byte[] garbage) throws IOException {
        WorkerAddress target = cluster.spec.addressOf("worker", 0);
        try (var socket = new Socket(target.host(), target.port())) {
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(30));
            try {
                OutputStream out = socket.getOutputStream();
                out.write(garbage);
                socket.shutdownOutput();
                // An alert may come; then the end.
                assertThat(socket.getInputStream().readAllBytes().length).isLessThan(1000);
            } catch (SocketException _) {
                // Reset: the server has closed it with garbage unread.
            }
        }
    }
}
