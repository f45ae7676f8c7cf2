package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tensorferry.api.DataType;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.Fallback;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.statistics.PeerStatus;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/// Two workers on software devices, one of which breaks under traffic: receives go over gRPC, and back again.
@Timeout(60)
class FallbackTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration RECONNECT = Duration.ofMillis(500);
    private static final long STEP = 7;

    private final TestCluster cluster = new TestCluster(2);
    private final BreakableProvider device = new BreakableProvider();

    @AfterEach
    void stop() {
        device.recover();
        cluster.close();
        assertThat(Tensor.leakedHandleCount()).isZero();
    }

    private TransportServerBuilder verbs(int task, Fallback fallback) {
        ChannelOptions d = ChannelOptions.defaults();
        var builder = cluster.builder(task)
                .protocol(ServerConfig.GRPC_VERBS)
                .rdmaConfig(RdmaConfig.builder().device("soft0").build())
                .fallback(fallback)
                .reconnectTimeout(RECONNECT)
                .channelOptions(new ChannelOptions(
                        d.lanes(),
                        d.ringSlots(),
                        d.slotBytes(),
                        Duration.ofMillis(100),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(5),
                        RECONNECT,
                        d.spin()));
        return task == 0 ? builder.verbsProviders(List.of(device)) : builder;
    }

    private TransportServer start(int task, Fallback fallback) {
        return cluster.add(verbs(task, fallback).start());
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        // The test's own limit bounds this.
        while (!condition.getAsBoolean()) {
            Thread.sleep(5);
        }
    }

    private static PeerStatus status(TransportServer server) {
        return server.peers().getFirst();
    }

    private static Tensor filled(TransportServer server, int size, int value) {
        Tensor tensor = server.allocator().allocate(DataType.UINT8, Shape.of(size));
        tensor.segment().fill((byte) value);
        return tensor;
    }

    private static long fallbackReceives(TransportServer server) {
        return server.statistics().verbs().fallbackReceives();
    }

    private static StatusCode failure(CompletableFuture<RecvResult> receive) throws Exception {
        var cause = receive.<Throwable>handle((_, failed) -> failed).get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(cause).isInstanceOf(TransportException.class);
        return ((TransportException) cause).code();
    }

    /// Transfers in both directions without a pause, in a separate thread, until a stop.
    private static final class Traffic {
        private final List<TransportServer> servers;
        private final CompletableFuture<Integer> result = new CompletableFuture<>();
        private volatile boolean stopped;
        private final AtomicInteger done = new AtomicInteger();

        Traffic(TransportServer first, TransportServer second) {
            servers = List.of(first, second);
            Thread.ofPlatform().daemon().name("traffic").start(this::run);
        }

        private void run() {
            try {
                while (!stopped) {
                    round(done.get());
                    done.incrementAndGet();
                }
                result.complete(done.get());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        }

        /// Some receives before their sends, some after, and each tensor of another size.
        private void round(int number) throws Exception {
            var receives = new ArrayList<CompletableFuture<RecvResult>>();
            for (int i = 0; i < 16; i++) {
                TransportServer from = servers.get(i % 2);
                TransportServer to = servers.get(1 - i % 2);
                var key = TestCluster.key(from, to, "edge" + i % 8);
                Rendezvous producer = from.rendezvous(STEP);
                if (i < 8) {
                    receives.add(to.rendezvous(STEP).recvAsync(key));
                }
                producer.send(key, filled(from, size(number, i), number + i));
                if (i >= 8) {
                    receives.add(to.rendezvous(STEP).recvAsync(key));
                }
            }
            for (int i = 0; i < 16; i++) {
                RecvResult received = receives.get(i).get(SOON.toSeconds(), TimeUnit.SECONDS);
                assertThat(received).isInstanceOf(RecvResult.Received.class);
                try (Tensor tensor = ((RecvResult.Received) received).tensor()) {
                    assertThat(tensor.byteSize()).isEqualTo(size(number, i));
                    for (long at = 0; at < tensor.byteSize(); at++) {
                        if (tensor.segment().get(ValueLayout.JAVA_BYTE, at) != (byte) (number + i)) {
                            throw new AssertionError("round " + number + ", tensor " + i + ", byte " + at);
                        }
                    }
                }
            }
        }

        private static int size(int number, int i) {
            return (number + 1) * (i + 3) % 97 * 1000;
        }

        /// Waits until `rounds` more rounds are done, or one has failed.
        void go(int rounds) throws InterruptedException {
            int until = done.get() + rounds;
            await(() -> done.get() >= until || result.isDone());
        }

        /// Waits until both ends report this state of each other, or a round has failed.
        void awaitState(PeerStatus.State state) throws InterruptedException {
            await(() -> result.isDone()
                    || servers.stream().allMatch(server -> status(server).state() == state));
        }

        int end() throws Exception {
            stopped = true;
            return result.get(SOON.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void trafficMovesToGrpcWhenADeviceBreaksAndBackWhenItWorksAgain() throws Exception {
        TransportServer first = start(0, Fallback.GRPC);
        TransportServer second = start(1, Fallback.GRPC);
        var log = new ListAppender<ILoggingEvent>();
        Logger link = (Logger) LoggerFactory.getLogger("io.tensorferry.verbs.link.PeerLink");
        Level before = link.getLevel();
        link.setLevel(Level.INFO);
        log.start();
        link.addAppender(log);
        try {
            var traffic = new Traffic(first, second);
            traffic.go(20);
            assertThat(fallbackReceives(first) + fallbackReceives(second)).isZero();
            for (int cycle = 0; cycle < 3; cycle++) {
                device.breakDown();
                traffic.awaitState(PeerStatus.State.FALLBACK);
                traffic.go(20);
                device.recover();
                traffic.awaitState(PeerStatus.State.OPEN);
                // Receives that had begun over gRPC may still be under way.
                traffic.go(2);
                long moved = fallbackReceives(first) + fallbackReceives(second);
                traffic.go(20);
                assertThat(fallbackReceives(first) + fallbackReceives(second)).isEqualTo(moved);
                assertThat(moved).isGreaterThan(20L * 16 * cycle);
            }
            int rounds = traffic.end();

            TransportStatistics here = first.statistics();
            TransportStatistics there = second.statistics();
            assertThat(here.tensorsReceived() + there.tensorsReceived()).isEqualTo(16L * rounds);
            assertThat(here.verbs().fallbackRequests()).isEqualTo(fallbackReceives(second));
            for (TransportServer server : List.of(first, second)) {
                await(() -> server.statistics().pendingReceives() == 0);
                assertThat(server.closeStep(STEP)).isZero();
                await(() -> server.statistics().verbs().pendingResponses() == 0);
                assertThat(server.statistics().verbs().memory().bytesInUse())
                        .as("the message rings of one channel")
                        .isEqualTo(2L * 256 * 4096);
            }
            // Each end moves and comes back once in each cycle.
            assertThat(messages(log, Level.WARN)).hasSize(6).allMatch(said -> said.contains("receives go over grpc"));
            assertThat(messages(log, Level.INFO).stream().filter(said -> said.contains("is open again")))
                    .hasSize(6);
        } finally {
            link.detachAppender(log);
            link.setLevel(before);
        }
    }

    private static List<String> messages(ListAppender<ILoggingEvent> log, Level level) {
        return List.copyOf(log.list).stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void whereNoChannelCouldEverBeHadStringsAndDeadTensorsComeOverGrpcToo() throws Exception {
        device.breakDown();
        TransportServer first = start(0, Fallback.GRPC);
        TransportServer second = start(1, Fallback.GRPC);
        var strings = TestCluster.key(second, first, "strings");
        var dead = TestCluster.key(second, first, "dead");
        List<byte[]> words = List.of("a".getBytes(StandardCharsets.UTF_8), new byte[0]);
        second.rendezvous(STEP).send(strings, second.allocator().allocateStrings(Shape.of(2), words));
        second.rendezvous(STEP).sendDead(dead);

        var received = first.rendezvous(STEP).recvAsync(strings);
        var isDead = first.rendezvous(STEP).recvAsync(dead);

        try (Tensor tensor = ((RecvResult.Received) received.get(SOON.toSeconds(), TimeUnit.SECONDS)).tensor()) {
            assertThat(tensor.dataType()).isEqualTo(DataType.STRING);
            assertThat(tensor.shape()).isEqualTo(Shape.of(2));
        }
        assertThat(isDead.get(SOON.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(RecvResult.Dead.class);
        assertThat(fallbackReceives(first)).isEqualTo(2);
    }

    @Test
    void overGrpcTooAResultIsInMemoryOfTheAllocatorThatWasGiven() throws Exception {
        device.breakDown();
        TransportServer first = start(0, Fallback.GRPC);
        TransportServer second = start(1, Fallback.GRPC);
        var key = TestCluster.key(second, first, "edge");
        var made = new AtomicReference<Tensor>();
        TensorAllocator given = (dataType, shape, bytes) -> {
            Tensor tensor = TensorAllocator.unregistered().allocate(dataType, shape, bytes);
            made.set(tensor);
            return tensor;
        };
        second.rendezvous(STEP).send(key, filled(second, 1000, 3));

        var receive =
                first.rendezvous(STEP).recvAsync(key, ReceiveOptions.defaults().into(given));

        try (Tensor tensor = receive.get(SOON.toSeconds(), TimeUnit.SECONDS).tensorOrThrow()) {
            assertThat(tensor).isSameAs(made.get());
            assertThat(tensor.segment().get(ValueLayout.JAVA_BYTE, 999)).isEqualTo((byte) 3);
        }
        assertThat(fallbackReceives(first)).isEqualTo(1);
    }

    @Test
    void peersThatCanBeReachedOverTheFallbackAreThere() throws Exception {
        device.breakDown();
        TransportServer first = start(0, Fallback.GRPC);
        start(1, Fallback.GRPC);

        first.awaitPeers(SOON);

        assertThat(first.channels()).isEmpty();
    }

    @Test
    void aProducerThatDoesNotAllowTheFallbackSaysSo() throws Exception {
        device.breakDown();
        TransportServer first = start(0, Fallback.GRPC);
        TransportServer second = start(1, Fallback.NONE);
        var key = TestCluster.key(second, first, "edge");

        var receive = first.rendezvous(STEP).recvAsync(key);

        assertThat(failure(receive)).isEqualTo(StatusCode.FAILED_PRECONDITION);
        assertThat(receive.<String>handle((_, cause) -> cause.getMessage()).get())
                .contains("does not allow the fallback to gRPC", "RDMA_FALLBACK=grpc");
    }

    @Test
    void withoutTheFallbackReceivesAreUnavailable() throws Exception {
        TransportServer first = start(0, Fallback.NONE);
        TransportServer second = start(1, Fallback.NONE);
        first.awaitPeers(SOON);
        device.breakDown();
        var receive = first.rendezvous(STEP).recvAsync(TestCluster.key(second, first, "edge"));

        assertThat(failure(receive)).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(status(first).state()).isEqualTo(PeerStatus.State.DOWN);
    }

    @Test
    void aPeerThatIsGoneOnEveryWayIsUnavailableWithinTheBounds() throws Exception {
        TransportServer first = start(0, Fallback.GRPC);
        TransportServer second = start(1, Fallback.GRPC);
        TransferLoop.transfer(second, first, 1, 1);
        var asked = first.rendezvous(STEP).recvAsync(TestCluster.key(second, first, "edge"));
        long stoppedAtNs = System.nanoTime();
        second.stop(Duration.ZERO);

        assertThat(failure(asked)).isIn(StatusCode.UNAVAILABLE, StatusCode.ABORTED);
        await(() -> first.channels().isEmpty());
        var later = first.rendezvous(STEP).recvAsync(TestCluster.key(second, first, "later"));
        assertThat(failure(later)).isEqualTo(StatusCode.UNAVAILABLE);
        // The peer timeout, the patience with the link with its grace, and the patience with gRPC.
        assertThat(Duration.ofNanos(System.nanoTime() - stoppedAtNs)).isLessThan(Duration.ofSeconds(10));
    }
}
