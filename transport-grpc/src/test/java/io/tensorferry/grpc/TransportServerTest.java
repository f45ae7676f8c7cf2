package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.verbs.config.ChannelOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TransportServerTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void refusesAnUnknownProtocolAndNamesBoth() {
        var cluster = new TestCluster(1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> cluster.builder(0).protocol("grpc+mpi").start())
                .withMessage("protocol 'grpc+mpi' is unknown; it must be 'grpc+verbs' or 'grpc'");
    }

    @Test
    void namesWhatIsMissing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TransportServer.builder().job("worker").start())
                .withMessageContaining("missing: cluster task");
    }

    @Test
    void saysThatItsAddressIsTaken() {
        try (var cluster = TestCluster.started(1)) {
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> cluster.builder(0).start())
                    .withMessageContaining("cannot listen on")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION));
        }
    }

    @Test
    void saysThatItsHostIsUnknown() {
        var cluster = ClusterSpec.of(Map.of("worker", List.of("no-such-host.invalid:2222")));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> TransportServer.builder()
                        .cluster(cluster)
                        .job("worker")
                        .task(0)
                        .protocol("grpc")
                        .start())
                .withMessageContaining("no-such-host.invalid");
    }

    @Test
    void listensWhereItIsTold() throws Exception {
        var cluster = new TestCluster(1);
        var other = InetAddress.getByName("127.0.0.2");
        int port = cluster.spec.addressOf("worker", 0).port();

        try (var server = cluster.builder(0).bindAddress(other).start()) {
            assertThat(server.transportDevice()).isEqualTo("none (grpc)");
            new Socket(other, port).close();
            assertThatExceptionOfType(ConnectException.class)
                    .isThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close());
        }
    }

    @Test
    void connectsPeersThatStartInAnyOrder() throws Exception {
        try (var cluster = new TestCluster(3)) {
            var first = cluster.add(
                    cluster.builder(2).dialPolicy(DialPolicy.AT_START).start());
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> first.awaitPeers(Duration.ofMillis(200)))
                    .withMessageContaining("[/job:worker/replica:0/task:0, /job:worker/replica:0/task:1]")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED));

            var early = CompletableFuture.supplyAsync(() -> receiveFrom(first, 0));
            cluster.start(1).closeStep(99);
            var last = cluster.start(0);
            first.awaitPeers(SOON);
            send(last, first);

            assertThat(early.get(20, TimeUnit.SECONDS)).isEqualTo(42);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void saysWhyAPeerDidNotAnswerWhereThatIsKnown(String protocol) {
        try (var cluster = new TestCluster(2)) {
            var server = cluster.add(cluster.builder(0)
                    .protocol(protocol)
                    .connectTimeout(Duration.ofMillis(100))
                    .start());
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> server.awaitPeers(Duration.ofSeconds(1)))
                    .withMessageContaining("no answer within PT1S from [/job:worker/replica:0/task:1];"
                            + " /job:worker/replica:0/task:1: ")
                    .withMessageContaining("no connection to " + cluster.spec.address("worker", 1))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED));
        }
    }

    private static int receiveFrom(TransportServer receiver, int task) {
        var key = RendezvousKey.of(new DeviceName("worker", 0, task, "CPU", 0), receiver.deviceName(0), "early");
        try (Tensor tensor = receiver.rendezvous(1).recvAsync(key).join().tensorOrThrow()) {
            return tensor.toIntArray()[0];
        }
    }

    private static void send(TransportServer from, TransportServer to) {
        Tensor tensor = from.allocator().allocate(DataType.INT32, Shape.scalar());
        tensor.segment().set(ValueLayout.JAVA_INT, 0, 42);
        from.rendezvous(1).send(TestCluster.key(from, to, "early"), tensor);
    }

    @Test
    void refusesAPeerThatHasAnotherCluster() throws Exception {
        List<String> addresses = FreePorts.addresses(2);
        var right = ClusterSpec.of(Map.of("worker", addresses));
        var swapped = ClusterSpec.of(Map.of("ps", List.of(addresses.get(1)), "worker", List.of(addresses.get(0))));

        try (var server = builder(right, "worker", 0).start();
                var stranger = builder(swapped, "ps", 0).start()) {
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> server.awaitPeers(SOON))
                    .withMessageContaining("is '/job:ps/replica:0/task:0', not /job:worker/replica:0/task:1")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION));
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> stranger.awaitPeers(SOON))
                    .withMessageContaining("is not a peer of /job:worker/replica:0/task:0");
        }
    }

    private static TransportServerBuilder builder(ClusterSpec cluster, String job, int task) {
        return TransportServer.builder().cluster(cluster).job(job).task(task).protocol("grpc");
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void endsReceivesFromAPeerThatNeverStarts(String protocol) {
        try (var cluster = new TestCluster(2)) {
            var server = cluster.add(cluster.builder(0)
                    .protocol(protocol)
                    .connectTimeout(Duration.ofMillis(300))
                    // Whose own timeout is longer than the test waits.
                    .channelOptions(ChannelOptions.defaults())
                    .start());
            var key = RendezvousKey.of(new DeviceName("worker", 0, 1, "CPU", 0), server.deviceName(0), "never");

            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> server.rendezvous(1).recv(key, SOON))
                    .withMessageContaining("has not started")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE))
                    .satisfies(e -> assertThat(e.peer()).isEqualTo("/job:worker/replica:0/task:1"));
            assertThat(server.statistics().pendingReceives()).isZero();
        }
    }

    @Test
    void findsAPeerThatWasRestarted() throws Exception {
        try (var cluster = TestCluster.started(2)) {
            var receiver = cluster.server(0);
            receiver.awaitPeers(SOON);
            cluster.server(1).close();
            var restarted = cluster.start(1);
            send(restarted, receiver);

            assertThat(receiveFrom(receiver, 1)).isEqualTo(42);
        }
    }

    @Test
    void endsWhatIsOpenWhenItStops() throws Exception {
        try (var cluster = TestCluster.started(2)) {
            var stopped = cluster.server(0);
            var peer = cluster.server(1);
            peer.awaitPeers(SOON);
            var own = stopped.rendezvous(1).recvAsync(TestCluster.key(peer, stopped, "own"));
            var peers = peer.rendezvous(1).recvAsync(TestCluster.key(stopped, peer, "theirs"));
            var dropped = new AtomicInteger();
            Tensor unasked = Tensor.wrap(DataType.INT32, Shape.of(0), MemorySegment.NULL, dropped::incrementAndGet);
            stopped.rendezvous(2).send(TestCluster.key(stopped, peer, "unasked"), unasked);

            stopped.stop(Duration.ofSeconds(5));

            assertThat(codeOf(own)).isEqualTo(StatusCode.ABORTED);
            assertThat(codeOf(peers)).isIn(StatusCode.ABORTED, StatusCode.UNAVAILABLE);
            assertThat(dropped).hasValue(1);
            assertThat(stopped.statistics().droppedSends()).isEqualTo(1);
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> stopped.rendezvous(3))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE));
        }
    }

    private static StatusCode codeOf(CompletableFuture<RecvResult> receive) throws Exception {
        return receive.<StatusCode>handle((_, failure) -> ((TransportException) failure).code())
                .get(20, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void leavesNoThreadBehind(String protocol) throws Exception {
        try (var cluster = new TestCluster(2)) {
            for (int task = 0; task < 2; task++) {
                cluster.add(cluster.builder(task).protocol(protocol).start());
            }
            cluster.server(0).awaitPeers(SOON);
            cluster.server(1).awaitPeers(SOON);
            assertThat(ownThreads()).isNotEmpty();
        }
        // gRPC's and Netty's helpers for the whole process end by themselves after a second without work.
        for (Thread thread : ownThreads()) {
            assertThat(thread.join(Duration.ofSeconds(10))).as(thread.getName()).isTrue();
        }
        assertThat(ownThreads()).isEmpty();
    }

    private static List<Thread> ownThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread ->
                        thread.getName().matches("(?i).*(tensorferry|soft0|grpc|netty|globalEventExecutor).*"))
                .toList();
    }
}
