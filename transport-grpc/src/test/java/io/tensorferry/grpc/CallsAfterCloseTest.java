package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DataType;
import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
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
import io.tensorferry.api.partition.GatherOptions;
import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.api.partition.RowPartition;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import java.lang.foreign.Arena;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Every public call ends once the server is closed, whatever was opened before: it returns or throws as
/// documented, within seconds. A new method of one of the types that is not listed here fails the test.
@Timeout(90)
class CallsAfterCloseTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final long MOST_SECONDS = 5;

    private final TestCluster cluster = new TestCluster(2);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Arena arena = Arena.ofShared();
    // The user must close these.
    private final Queue<AutoCloseable> opened = new ConcurrentLinkedQueue<>();
    private final AcceleratorTime time = AcceleratorTime.real();
    private TransportServer server;
    private TransportServer peer;

    @AfterEach
    void stop() {
        cluster.close();
        threads.shutdownNow();
        arena.close();
        time.close();
    }

    private void start(String protocol, Consumer<TransportServerBuilder> setting) throws InterruptedException {
        TransportServerBuilder builder = cluster.builder(0).protocol(protocol);
        setting.accept(builder);
        server = cluster.add(builder.start());
        peer = cluster.add(cluster.builder(1).protocol(protocol).start());
        server.awaitPeers(Duration.ofSeconds(20));
    }

    /// How each method of one type ends, by its name and its parameters.
    private final class Ends {
        private final Class<?> type;
        private final Map<String, Callable<String>> calls = new LinkedHashMap<>();
        private final Map<String, String> expected = new TreeMap<>();

        Ends(Class<?> type) {
            this.type = type;
        }

        Ends of(String method, String end, Callable<?> call) {
            expected.put(method, end);
            calls.put(method, () -> String.valueOf(call.call()));
            return this;
        }

        Ends done(String method, Action call) {
            return of(method, "done", () -> {
                call.run();
                return "done";
            });
        }

        void check() {
            assertThat(expected.keySet())
                    .as("methods of %s", type.getSimpleName())
                    .isEqualTo(methods());
            Map<String, String> ends = new TreeMap<>();
            calls.forEach((method, call) -> ends.put(method, endOf(call)));
            assertThat(ends).isEqualTo(expected);
        }

        private Set<String> methods() {
            return Arrays.stream(type.getMethods())
                    .filter(method -> !Modifier.isStatic(method.getModifiers()))
                    .filter(method -> method.getDeclaringClass() != Object.class && !method.isBridge())
                    .map(CallsAfterCloseTest::signature)
                    .collect(Collectors.toSet());
        }
    }

    private interface Action {
        void run() throws Exception;
    }

    private static String signature(Method method) {
        return method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    private String endOf(Callable<String> call) {
        try {
            return threads.submit(call).get(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return nameOf(e.getCause());
        } catch (TimeoutException _) {
            return "no end within " + MOST_SECONDS + " s";
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String nameOf(Throwable end) {
        return end instanceof TransportException cause
                ? cause.code().name()
                : end.getClass().getSimpleName();
    }

    private static String endOf(CompletableFuture<?> future) throws Exception {
        try {
            future.get(MOST_SECONDS, TimeUnit.SECONDS);
            return "completes";
        } catch (ExecutionException e) {
            return "fails with " + nameOf(e.getCause());
        }
    }

    private interface Receiving {
        PendingReceive begin(DoneCallback done);
    }

    /// The result given to the callback, once.
    private static String told(Receiving receiving) throws Exception {
        var ended = new CompletableFuture<RecvResult>();
        receiving.begin(ended::complete);
        RecvResult result = ended.get(MOST_SECONDS, TimeUnit.SECONDS);
        return result instanceof RecvResult.Failed(var cause) ? "told " + cause.code() : String.valueOf(result);
    }

    private Tensor tensor() {
        return TensorAllocator.unregistered().allocate(DataType.INT32, Shape.of(4));
    }

    private RendezvousKey toPeer(String edge) {
        return TestCluster.key(server, peer, edge);
    }

    private RendezvousKey fromPeer(String edge) {
        return TestCluster.key(peer, server, edge);
    }

    private RendezvousKey local(String edge) {
        return TestCluster.key(server, server, edge);
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void ofARendezvous(String protocol) throws Exception {
        start(protocol, _ -> {});
        checkRendezvous();
    }

    /// An executor of the user, who has ended it.
    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void ofARendezvousWhoseExecutorHasEndedToo(String protocol) throws Exception {
        ExecutorService callbacks = Executors.newSingleThreadExecutor();
        start(protocol, builder -> builder.callbackExecutor(callbacks));
        callbacks.shutdown();
        checkRendezvous();
    }

    /// A callback then runs on the thread that calls.
    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void ofARendezvousWhoseCallbacksRunOnTheCallingThread(String protocol) throws Exception {
        start(protocol, TransportServerBuilder::callbacksOnLoop);
        checkRendezvous();
    }

    private void checkRendezvous() throws Exception {
        Rendezvous rendezvous = server.rendezvous(1);
        var waiting = new CompletableFuture<RecvResult>();
        PendingReceive pending = rendezvous.recvAsync(fromPeer("never"), waiting::complete);
        server.close();

        for (RendezvousKey key : List.of(fromPeer("a"), local("a"))) {
            new Ends(Rendezvous.class)
                    .of("stepId()", "1", rendezvous::stepId)
                    .of("send(RendezvousKey, Tensor)", "ABORTED", () -> {
                        try (Tensor tensor = tensor()) {
                            rendezvous.send(toPeer("a"), tensor);
                        }
                        return "sent";
                    })
                    .of("sendDead(RendezvousKey)", "ABORTED", () -> {
                        rendezvous.sendDead(local("a"));
                        return "sent";
                    })
                    .of(
                            "recvAsync(RendezvousKey, DoneCallback)",
                            "told ABORTED",
                            () -> told(done -> rendezvous.recvAsync(key, done)))
                    .of(
                            "recvAsync(RendezvousKey, Duration, DoneCallback)",
                            "told ABORTED",
                            () -> told(done -> rendezvous.recvAsync(key, LONG, done)))
                    .of(
                            "recvAsync(RendezvousKey, ReceiveOptions, DoneCallback)",
                            "told ABORTED",
                            () -> told(done -> rendezvous.recvAsync(
                                    key, ReceiveOptions.defaults().into(TensorAllocator.unregistered()), done)))
                    .of("recvAsync(RendezvousKey)", "fails with ABORTED", () -> endOf(rendezvous.recvAsync(key)))
                    .of(
                            "recvAsync(RendezvousKey, Duration)",
                            "fails with ABORTED",
                            () -> endOf(rendezvous.recvAsync(key, LONG)))
                    .of(
                            "recvAsync(RendezvousKey, ReceiveOptions)",
                            "fails with ABORTED",
                            () -> endOf(rendezvous.recvAsync(key, ReceiveOptions.defaults())))
                    .of("recv(RendezvousKey, Duration)", "ABORTED", () -> rendezvous.recv(key, LONG))
                    .done(
                            "startAbort(StatusCode, String)",
                            () -> rendezvous.startAbort(StatusCode.INTERNAL, "too late"))
                    .check();
        }
        assertThat(waiting.get(MOST_SECONDS, TimeUnit.SECONDS)).isInstanceOf(RecvResult.Failed.class);
        new Ends(PendingReceive.class).of("cancel()", "false", pending::cancel).check();
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void ofTheServer(String protocol) throws Exception {
        start(protocol, _ -> {});
        boolean verbs = protocol.equals(ServerConfig.GRPC_VERBS);
        MemoryRegistration registration = server.register(arena.allocate(4096));
        server.rendezvous(1);
        server.close();

        Accelerator unknown = new SimulatedAccelerator(0, time, 1, SimulatedAcceleratorOptions.defaults());
        new Ends(TransportServer.class)
                .of("workerName()", "/job:worker/replica:0/task:0", server::workerName)
                .of("deviceName(int)", "/job:worker/replica:0/task:0/device:CPU:0", () -> server.deviceName(0))
                .of(
                        "deviceName(Device)",
                        "/job:worker/replica:0/task:0/device:" + unknown.type() + ":" + unknown.index(),
                        () -> server.deviceName(unknown))
                .of("cluster()", cluster.spec.toString(), server::cluster)
                .of("protocol()", protocol, server::protocol)
                .of("transportDevice()", verbs ? "soft0" : "none (grpc)", server::transportDevice)
                .of("rendezvous(long)", "UNAVAILABLE", () -> server.rendezvous(1))
                .of("openSender(StaticEdge)", "UNAVAILABLE", () -> server.openSender(staticEdge(toPeer("e"))))
                .of("openReceiver(StaticEdge)", "UNAVAILABLE", () -> server.openReceiver(staticEdge(fromPeer("e"))))
                .of(
                        "openReceiver(StaticEdge, MemorySegment)",
                        "UNAVAILABLE",
                        () -> server.openReceiver(staticEdge(fromPeer("e")), arena.allocate(4096, 4096)))
                .of("openSender(DynamicEdge)", "UNAVAILABLE", () -> server.openSender(DynamicEdge.of(toPeer("d"))))
                .of(
                        "openReceiver(DynamicEdge)",
                        "UNAVAILABLE",
                        () -> server.openReceiver(DynamicEdge.of(fromPeer("d"))))
                .of("openPartitioned(PartitionedTensorSpec)", "UNAVAILABLE", () -> server.openPartitioned(spec()))
                .of("closeStep(long)", "0", () -> server.closeStep(1))
                .of("finishStep(long, Duration)", "UNAVAILABLE", () -> {
                    server.finishStep(1, LONG);
                    return "finished";
                })
                .of("finishStepAsync(long, Duration)", "UNAVAILABLE", () -> server.finishStepAsync(1, LONG))
                .of("allocator()", verbs ? "FAILED_PRECONDITION" : "closed again", () -> {
                    server.allocator().allocate(DataType.INT32, Shape.of(4)).close();
                    return "closed again";
                })
                .of("allocator(Accelerator)", "IllegalArgumentException", () -> server.allocator(unknown))
                .of("register(MemorySegment)", "UNAVAILABLE", () -> server.register(arena.allocate(4096)))
                .of("register(Accelerator, long, long)", "UNAVAILABLE", () -> server.register(unknown, 4096, 4096))
                .of("statistics()", "0", () -> server.statistics().pendingReceives())
                .of("channels()", "[]", server::channels)
                .of("peers()", "asked", () -> {
                    server.peers();
                    return "asked";
                })
                .of("awaitPeers(Duration)", "UNAVAILABLE", () -> {
                    server.awaitPeers(LONG);
                    return "all there";
                })
                .done("stop(Duration)", () -> server.stop(LONG))
                .done("close()", server::close)
                .check();
        new Ends(MemoryRegistration.class).done("close()", registration::close).check();
    }

    private static StaticEdge staticEdge(RendezvousKey key) {
        return StaticEdge.of(key, DataType.INT32, Shape.of(4));
    }

    private PartitionedTensorSpec spec() {
        return PartitionedTensorSpec.of(
                "rows", DataType.INT32, 4, RowPartition.even(100, List.of(server.workerName(), peer.workerName())));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofTheEndsOfEdges(boolean open) throws Exception {
        start(ServerConfig.GRPC_VERBS, _ -> {});
        StaticSender staticSender = server.openSender(staticEdge(toPeer("s")));
        StaticReceiver staticReceiver = server.openReceiver(staticEdge(fromPeer("r")));
        DynamicSender dynamicSender = server.openSender(DynamicEdge.of(toPeer("ds")));
        DynamicReceiver dynamicReceiver = server.openReceiver(DynamicEdge.of(fromPeer("dr")));
        List<AutoCloseable> endsOfPeer = new ArrayList<>();
        // After the loop's part of the opening.
        server.awaitPeers(LONG);
        if (open) {
            endsOfPeer.add(peer.openReceiver(staticEdge(toPeer("s"))));
            endsOfPeer.add(peer.openSender(staticEdge(fromPeer("r"))));
            endsOfPeer.add(peer.openReceiver(DynamicEdge.of(toPeer("ds"))));
            endsOfPeer.add(peer.openSender(DynamicEdge.of(fromPeer("dr"))));
            for (var opened : List.of(
                    staticSender.opened(), staticReceiver.opened(), dynamicSender.opened(), dynamicReceiver.opened())) {
                opened.get(20, TimeUnit.SECONDS);
            }
        }
        server.close();
        String opened = open ? "completes" : "fails with ABORTED";

        for (var sender : List.of(staticSender, dynamicSender)) {
            var ends = new Ends(sender instanceof StaticSender ? StaticSender.class : DynamicSender.class)
                    .of("opened()", opened, () -> endOf(sender.opened()))
                    .of("send(Tensor)", "ABORTED", () -> {
                        try (Tensor tensor = tensor()) {
                            sender.send(tensor);
                        }
                        return "sent";
                    })
                    .done(
                            "startAbort(TransportException)",
                            () -> sender.startAbort(new TransportException(StatusCode.INTERNAL, "too late")))
                    .of("ended()", "completes", () -> endOf(sender.ended()))
                    .done("close()", sender::close);
            if (sender instanceof DynamicSender) {
                ends.of(
                        "allocator()",
                        "FAILED_PRECONDITION",
                        () -> dynamicSender.allocator().allocate(DataType.INT32, Shape.of(4)));
            }
            ends.check();
        }
        for (var receiver : List.of(staticReceiver, dynamicReceiver)) {
            var ends = new Ends(receiver instanceof StaticReceiver ? StaticReceiver.class : DynamicReceiver.class)
                    .of("opened()", opened, () -> endOf(receiver.opened()))
                    .of("poll()", "true", receiver::poll)
                    .of("take()", "ABORTED", receiver::take)
                    .of("onReady(Runnable)", "completes", () -> {
                        var ready = new CompletableFuture<Void>();
                        receiver.onReady(() -> ready.complete(null));
                        return endOf(ready);
                    })
                    .done(
                            "startAbort(TransportException)",
                            () -> receiver.startAbort(new TransportException(StatusCode.INTERNAL, "too late")))
                    .of("ended()", "completes", () -> endOf(receiver.ended()))
                    .done("close()", receiver::close);
            if (receiver instanceof StaticReceiver) {
                ends.of("release()", "IllegalStateException", () -> {
                    staticReceiver.release();
                    return "released";
                });
            }
            ends.check();
        }
        for (AutoCloseable end : endsOfPeer) {
            end.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofAPartitionedTensor(boolean open) throws Exception {
        start(ServerConfig.GRPC_VERBS, _ -> {});
        PartitionedTensor rows = server.openPartitioned(spec());
        if (open) {
            rows.publish();
            peer.openPartitioned(spec()).publish();
            rows.ready().get(20, TimeUnit.SECONDS);
        }
        Tensor out = TensorAllocator.unregistered().allocate(DataType.INT32, Shape.of(1, 4));
        Gather waiting = rows.gather(new long[] {99}, out);
        server.close();

        long[] ids = {0};
        new Ends(PartitionedTensor.class)
                .of("spec()", spec().toString(), rows::spec)
                .of(
                        "localRange()",
                        spec().partition().rangeOf(server.workerName()).toString(),
                        rows::localRange)
                .done("localRows()", rows::localRows)
                .done("publish()", rows::publish)
                .done("replicatedRows()", rows::replicatedRows)
                .done("useReplica()", rows::useReplica)
                .of("ready()", open ? "completes" : "fails with ABORTED", () -> endOf(rows.ready()))
                .of("gather(long[], Tensor)", "IllegalStateException", () -> rows.gather(ids, out))
                .of(
                        "gather(long[], Tensor, GatherOptions)",
                        "IllegalStateException",
                        () -> rows.gather(ids, out, GatherOptions.defaults()))
                .of(
                        "gather(long[], Tensor, GatherOptions, GatherProgress)",
                        "IllegalStateException",
                        () -> rows.gather(ids, out, GatherOptions.defaults(), (_, _) -> {}))
                .done("close()", rows::close)
                .of("ended()", "completes", () -> endOf(rows.ended()))
                .check();
        new Ends(Gather.class)
                .of("done()", "ends", () -> {
                    endOf(waiting.done());
                    return "ends";
                })
                .done("cancel()", waiting::cancel)
                .check();
        out.close();
    }

    /// Threads that call continuously while the server is closed: every call that they have begun ends.
    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void ofCallsThatMeetTheClose(String protocol) throws Exception {
        start(protocol, _ -> {});
        var begun = new ConcurrentLinkedQueue<CompletableFuture<?>>();
        var over = new AtomicBoolean();
        Rendezvous rendezvous = server.rendezvous(1);
        List<Future<?>> callers = new ArrayList<>();
        for (Action call : calls(rendezvous, begun, protocol.equals(ServerConfig.GRPC_VERBS))) {
            callers.add(threads.submit(() -> {
                do {
                    try {
                        call.run();
                    } catch (TransportException _) {
                        // Refused: that is an end.
                    }
                    Thread.sleep(1);
                } while (!over.get());
                return null;
            }));
        }
        Thread.sleep(50);
        server.close();
        over.set(true);

        for (Future<?> caller : callers) {
            caller.get(MOST_SECONDS, TimeUnit.SECONDS);
        }
        assertThat(begun).isNotEmpty();
        for (AutoCloseable each : opened) {
            each.close();
        }
        for (CompletableFuture<?> one : begun) {
            assertThat(endOf(one)).isIn("completes", "fails with ABORTED", "fails with UNAVAILABLE");
        }
    }

    private List<Action> calls(Rendezvous rendezvous, Queue<CompletableFuture<?>> begun, boolean verbs) {
        List<Action> calls = new ArrayList<>(List.of(
                () -> begun.add(rendezvous.recvAsync(fromPeer("a"))),
                () -> begun.add(rendezvous.recvAsync(fromPeer("a"), LONG)),
                () -> begun.add(rendezvous.recvAsync(local("a"))),
                () -> begun.add(server.rendezvous(2).recvAsync(fromPeer("a"))),
                () -> {
                    try (Tensor tensor = tensor()) {
                        rendezvous.send(toPeer("a"), tensor);
                    }
                },
                () -> server.awaitPeers(LONG),
                () -> {
                    server.rendezvous(3).recvAsync(fromPeer("a"));
                    server.finishStep(3, LONG);
                },
                () -> {
                    server.rendezvous(4).recvAsync(fromPeer("a"));
                    begun.add(server.finishStepAsync(4, LONG));
                }));
        if (verbs) {
            var number = new AtomicInteger();
            calls.add(() -> {
                StaticSender sender = server.openSender(staticEdge(toPeer("s" + number.incrementAndGet())));
                begun.add(sender.opened());
                begun.add(sender.ended());
            });
            calls.add(() -> {
                StaticReceiver receiver = server.openReceiver(staticEdge(fromPeer("r" + number.incrementAndGet())));
                begun.add(receiver.opened());
                begun.add(receiver.ended());
                opened.add(receiver);
            });
            calls.add(() -> {
                PartitionedTensor rows = server.openPartitioned(spec());
                begun.add(rows.ended());
                rows.close();
                rows.ended().get(MOST_SECONDS, TimeUnit.SECONDS);
            });
        }
        return calls;
    }
}
