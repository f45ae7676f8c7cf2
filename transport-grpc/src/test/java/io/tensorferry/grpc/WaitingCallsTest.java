package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.DynamicEdge;
import io.tensorferry.api.edge.DynamicReceiver;
import io.tensorferry.api.edge.DynamicSender;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.api.partition.Gather;
import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.api.partition.RowPartition;
import io.tensorferry.grpc.cluster.ServerConfig;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Every waiting call, from a callback: on a transport thread it is refused at once, on every other thread it
/// works.
@Timeout(90)
class WaitingCallsTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration AT_ONCE = Duration.ofSeconds(2);
    private static final long STEP = 1;

    private final TestCluster cluster = new TestCluster(2);
    private TransportServer server;
    private TransportServer peer;

    /// The executor of callbacks.
    enum Where {
        LOOP {
            @Override
            void set(TransportServerBuilder builder) {
                builder.callbacksOnLoop();
            }
        },
        DISPATCHER {
            @Override
            void set(TransportServerBuilder builder) {
                builder.callbackExecutor(Runnable::run);
            }
        };

        abstract void set(TransportServerBuilder builder);
    }

    private interface Call {
        Object run() throws Exception;
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private void start(String protocol, Consumer<TransportServerBuilder> setting) throws InterruptedException {
        for (int task = 0; task < 2; task++) {
            TransportServerBuilder builder = cluster.builder(task).protocol(protocol);
            setting.accept(builder);
            cluster.add(builder.start());
        }
        server = cluster.server(0);
        peer = cluster.server(1);
        server.awaitPeers(LONG);
    }

    private RendezvousKey fromPeer(String edge) {
        return TestCluster.key(peer, server, edge);
    }

    private static void send(TransportServer from, TransportServer to, long step, String edge, int value) {
        try (Tensor tensor = TensorAllocator.unregistered().allocate(DataType.INT32, Shape.of(1))) {
            tensor.segment().set(ValueLayout.JAVA_INT, 0, value);
            from.rendezvous(step).send(TestCluster.key(from, to, edge), tensor);
        }
    }

    /// Runs `action` in the callback of a receive, and waits for its result.
    private <T> T inCallback(Callable<T> action) throws Exception {
        var said = new CompletableFuture<T>();
        server.rendezvous(STEP).recvAsync(fromPeer("callback"), result -> {
            try (Tensor _ = result.tensorOrThrow()) {
                said.complete(action.call());
            } catch (Exception | Error e) {
                said.completeExceptionally(e);
            }
        });
        send(peer, server, STEP, "callback", 1);
        return said.get(40, TimeUnit.SECONDS);
    }

    /// All waiting calls, by their names.
    private Map<String, Call> waitingCalls() {
        Rendezvous rendezvous = server.rendezvous(STEP);
        RendezvousKey never = fromPeer("never");
        Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("recv", () -> rendezvous.recv(never, LONG));
        calls.put("finishStep", () -> {
            server.finishStep(STEP, LONG);
            return "finished";
        });
        calls.put("awaitPeers", () -> {
            server.awaitPeers(LONG);
            return "there";
        });
        calls.put("close", () -> {
            server.close();
            return "closed";
        });
        calls.put("stop", () -> {
            server.stop(LONG);
            return "stopped";
        });
        List<CompletableFuture<?>> futures = new ArrayList<>(List.of(
                rendezvous.recvAsync(never),
                rendezvous.recvAsync(never, LONG),
                rendezvous.recvAsync(never, ReceiveOptions.defaults()),
                rendezvous.recvAsync(never).thenApply(result -> result),
                server.finishStepAsync(2, LONG)));
        for (int i = 0; i < futures.size(); i++) {
            CompletableFuture<?> future = futures.get(i);
            calls.put("join of " + i, future::join);
            calls.put("get of " + i, future::get);
            calls.put("get with a timeout of " + i, () -> future.get(60, TimeUnit.SECONDS));
        }
        return calls;
    }

    static Stream<Arguments> protocolsAndThreads() {
        return Stream.of(ServerConfig.GRPC, ServerConfig.GRPC_VERBS)
                .flatMap(protocol -> Arrays.stream(Where.values()).map(where -> Arguments.of(protocol, where)));
    }

    @ParameterizedTest
    @MethodSource("protocolsAndThreads")
    void areRefusedOnAThreadOfTheTransport(String protocol, Where where) throws Exception {
        start(protocol, where::set);
        server.rendezvous(2).recvAsync(fromPeer("keeps the step open"));
        Map<String, Call> calls = waitingCalls();

        Map<String, String> ends = inCallback(() -> {
            Map<String, String> said = new TreeMap<>();
            calls.forEach((name, call) -> said.put(name, endOf(call)));
            return said;
        });

        assertThat(ends.keySet()).isEqualTo(calls.keySet());
        assertThat(ends).allSatisfy((_, end) -> assertThat(end).isEqualTo("refused at once"));
        // The server still works.
        send(peer, server, 3, "after", 5);
        try (Tensor after = server.rendezvous(3).recv(fromPeer("after"), LONG).tensorOrThrow()) {
            assertThat(after.toIntArray()).containsExactly(5);
        }
        assertThat(peer.rendezvous(STEP)).isNotNull();
    }

    private static String endOf(Call call) {
        long beganNs = System.nanoTime();
        String end;
        try {
            end = "returned " + call.run();
        } catch (IllegalStateException e) {
            end = e.getMessage().contains("a transport thread") ? "refused" : e.toString();
        } catch (Exception | Error e) {
            end = e.toString();
        }
        return end + (System.nanoTime() - beganNs < AT_ONCE.toNanos() ? " at once" : " too late");
    }

    /// Calls that do not wait work there.
    @ParameterizedTest
    @MethodSource("protocolsAndThreads")
    void theOthersWorkOnAThreadOfTheTransport(String protocol, Where where) throws Exception {
        start(protocol, where::set);
        var waiting = server.rendezvous(4).recvAsync(fromPeer("waits"));
        var cancelled = server.rendezvous(5).recvAsync(fromPeer("waits"));
        send(peer, server, 6, "there", 7);

        var there = new CompletableFuture<Integer>();

        CompletableFuture<Void> finished = inCallback(() -> {
            assertThat(server.closeStep(4)).isZero();
            assertThat(cancelled.cancel(false)).isTrue();
            send(server, peer, 6, "back", 8);
            PendingReceive _ = server.rendezvous(6).recvAsync(fromPeer("there"), result -> {
                try (Tensor tensor = result.tensorOrThrow()) {
                    there.complete(tensor.toIntArray()[0]);
                }
            });
            server.rendezvous(7).startAbort(StatusCode.CANCELLED, "by hand");
            return server.finishStepAsync(6, LONG);
        });

        assertThat(waiting).failsWithin(LONG).withThrowableOfType(ExecutionException.class);
        try (Tensor back = peer.rendezvous(6)
                .recv(TestCluster.key(server, peer, "back"), LONG)
                .tensorOrThrow()) {
            assertThat(back.toIntArray()).containsExactly(8);
        }
        finished.get(40, TimeUnit.SECONDS);
        assertThat(there).isCompletedWithValue(7);
    }

    /// Each callback runs on a thread that may wait.
    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void workInACallback(String protocol) throws Exception {
        start(protocol, _ -> {});
        send(peer, server, 2, "other", 3);
        send(peer, server, 2, "another", 4);

        int sum = inCallback(() -> {
            server.awaitPeers(LONG);
            try (Tensor other =
                            server.rendezvous(2).recv(fromPeer("other"), LONG).tensorOrThrow();
                    Tensor another = server.rendezvous(2)
                            .recvAsync(fromPeer("another"))
                            .join()
                            .tensorOrThrow()) {
                server.finishStep(2, LONG);
                server.finishStepAsync(3, LONG).get();
                return other.toIntArray()[0] + another.toIntArray()[0];
            }
        });

        assertThat(sum).isEqualTo(7);
    }

    /// The call does not wait for itself, and is not interrupted.
    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aCallbackMayCloseItsServer(String protocol) throws Exception {
        start(protocol, _ -> {});

        long ns = inCallback(() -> {
            long beganNs = System.nanoTime();
            server.close();
            assertThat(Thread.interrupted()).isFalse();
            return System.nanoTime() - beganNs;
        });

        assertThat(Duration.ofNanos(ns)).isLessThan(Duration.ofSeconds(4));
        assertThat(endOf(() -> server.rendezvous(9))).contains("is stopping");
    }

    /// Their futures complete on the threads of callbacks.
    @ParameterizedTest
    @ValueSource(strings = {"LOOP", "DISPATCHER"})
    void futuresOfEdgesAndPartitionedTensorsAreNotWaitedForThere(Where where) throws Exception {
        start(ServerConfig.GRPC_VERBS, where::set);
        StaticSender sender =
                server.openSender(StaticEdge.of(TestCluster.key(server, peer, "edge"), DataType.INT32, Shape.of(1)));
        DynamicSender dynamicSender = server.openSender(DynamicEdge.of(TestCluster.key(server, peer, "dynamic")));
        try (StaticReceiver receiver =
                        server.openReceiver(StaticEdge.of(fromPeer("back"), DataType.INT32, Shape.of(1)));
                DynamicReceiver dynamicReceiver = server.openReceiver(DynamicEdge.of(fromPeer("dynamic back")));
                PartitionedTensor rows = server.openPartitioned(PartitionedTensorSpec.of(
                        "rows",
                        DataType.INT32,
                        4,
                        RowPartition.even(100, List.of(server.workerName(), peer.workerName()))));
                Tensor out = TensorAllocator.unregistered().allocate(DataType.INT32, Shape.of(1, 4))) {
            Gather gather = rows.gather(new long[] {99}, out);
            List<CompletableFuture<?>> futures = List.of(
                    sender.opened(),
                    sender.ended(),
                    dynamicSender.opened(),
                    dynamicSender.ended(),
                    receiver.opened(),
                    receiver.ended(),
                    dynamicReceiver.opened(),
                    dynamicReceiver.ended(),
                    rows.ready(),
                    rows.ended(),
                    gather.done());

            List<String> ends = inCallback(
                    () -> futures.stream().map(future -> endOf(future::join)).toList());

            assertThat(ends).hasSize(futures.size()).containsOnly("refused at once");
            gather.cancel();
        } finally {
            sender.startAbort(new TransportException(StatusCode.CANCELLED, "over"));
            dynamicSender.startAbort(new TransportException(StatusCode.CANCELLED, "over"));
        }
    }

    /// Every method whose documentation says that it waits is among those tested above.
    @Test
    void allAreTried() {
        Set<String> waiting = Stream.of(
                        TransportServer.class,
                        Rendezvous.class,
                        StaticSender.class,
                        StaticReceiver.class,
                        DynamicSender.class,
                        DynamicReceiver.class,
                        PartitionedTensor.class,
                        Gather.class,
                        MemoryRegistration.class)
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .filter(method -> Arrays.asList(method.getExceptionTypes()).contains(InterruptedException.class))
                .filter(method -> method.getDeclaringClass() != Object.class)
                .map(Method::getName)
                .collect(Collectors.toSet());
        assertThat(waiting).containsExactlyInAnyOrder("recv", "finishStep", "awaitPeers");
    }
}
