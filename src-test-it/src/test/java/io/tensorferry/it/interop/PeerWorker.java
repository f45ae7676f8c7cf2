package io.tensorferry.it.interop;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.PostingOptions;
import io.tensorferry.verbs.config.RendezvousOptions;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// A worker that exchanges the tensors of a plan with a worker of another implementation, in both directions, as
/// `interop/python/README.md` describes. `TF_CONFIG` says which worker it is and `RDMA_*` the device.
///
/// It ends with a line `OK n tensors` and status 0, or with a line `FAILED ...` and status 1.
final class PeerWorker implements AutoCloseable {
    // Steps that are no steps of the plan. That of aborts is 1000 + the task that aborts it.
    private static final int ABORTS = 1000;
    private static final int NEVER = 1010;
    private static final int DONE = 1012;
    private static final Duration GIVE_UP_AFTER = Duration.ofMillis(200);

    private static final class Options {
        @Option(names = "--peer", required = true, description = "the worker to exchange tensors with: worker:1")
        String peer = "";

        @Option(names = "--plan", required = true, description = "the file that says what is exchanged")
        Path plan = Path.of("");

        @Option(names = "--steps", defaultValue = "3")
        int steps;

        @Option(names = "--validate", description = "ask for checksums")
        boolean validate;

        @Option(
                names = "--after",
                description = "a file; nothing is sent or received before it exists. Given again: everything once"
                        + " more, with the peer's next life")
        List<Path> after = List.of();

        @Option(names = "--lanes", defaultValue = "1")
        int lanes;

        @Option(names = "--ring-slots", defaultValue = "256")
        int ringSlots;

        @Option(names = "--slot-bytes", defaultValue = "4096")
        int slotBytes;

        @Option(names = "--stripe-bytes", defaultValue = "1048576")
        long stripeBytes;

        @Option(names = "--ring-content-bytes", description = "largest content, in bytes, that is sent in a message")
        int ringContentBytes = PostingOptions.defaults().ringContentBytes();

        @Option(names = "--timeout", defaultValue = "60", description = "seconds for everything")
        int timeout;
    }

    private static final class FailedException extends Exception {
        private static final long serialVersionUID = 1L;

        FailedException(String message) {
            super(message);
        }
    }

    private final Options options;
    private final PeerPlan plan;
    private final TransportServer server;
    private final DeviceName self;
    private final DeviceName peer;
    private final long deadlineNs;
    private int received;

    private PeerWorker(Options options, PeerPlan plan, TransportServer server) {
        this.options = options;
        this.plan = plan;
        this.server = server;
        this.self = server.deviceName(0);
        String[] jobAndTask = options.peer.split(":");
        this.peer = new DeviceName(jobAndTask[0], 0, Integer.parseInt(jobAndTask[1]), "CPU", 0);
        this.deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.timeout);
    }

    public static void main(String[] arguments) throws Exception {
        Options options = CommandLine.populateCommand(new Options(), arguments);
        int status = 1;
        try (var worker = start(options)) {
            worker.run();
            System.out.println("device " + worker.server.transportDevice());
            System.out.println(worker.server.statistics());
            System.out.println("OK " + worker.received + " tensors");
            status = 0;
        } catch (FailedException e) {
            System.out.println("FAILED " + e.getMessage());
        }
        System.exit(status);
    }

    private static PeerWorker start(Options options) throws Exception {
        PeerPlan plan = PeerPlan.read(options.plan);
        int entries = RendezvousOptions.defaults().metaDataCacheEntries();
        ChannelOptions channel = ChannelOptions.defaults();
        TransportServer server = TransportServer.builder()
                .config(ServerConfig.fromEnvironment())
                .rendezvousOptions(new RendezvousOptions(options.validate, entries))
                .channelOptions(new ChannelOptions(
                        options.lanes,
                        options.ringSlots,
                        options.slotBytes,
                        channel.keepaliveInterval(),
                        channel.peerTimeout(),
                        channel.connectTimeout(),
                        channel.reconnectTimeout(),
                        channel.spin(),
                        options.stripeBytes,
                        channel.readsAtOnce(),
                        channel.posting().withRingContentBytes(options.ringContentBytes)))
                .start();
        return new PeerWorker(options, plan, server);
    }

    private void run() throws Exception {
        server.rendezvous(ABORTS + self.task())
                .startAbort(StatusCode.FAILED_PRECONDITION, "aborted by " + self.worker());
        if (options.after.isEmpty()) {
            exchangeAll();
        }
        for (Path file : options.after) {
            await(file + " does not come", () -> Files.exists(file));
            exchangeAll();
        }
    }

    /// Everything that there is to do with one life of the peer.
    private void exchangeAll() throws Exception {
        for (int step = 1; step <= options.steps; step++) {
            exchange(step);
        }
        fail(server.rendezvous(ABORTS + peer.task()), "aborted", StatusCode.FAILED_PRECONDITION);
        giveUp();
        finish();
    }

    private record Awaited(PeerPlan.Item item, CompletableFuture<RecvResult> result) {}

    /// Odd steps send before they ask, even ones ask first.
    private void exchange(int step) throws Exception {
        Rendezvous rendezvous = server.rendezvous(step);
        if (step % 2 == 1) {
            send(rendezvous, step);
        }
        var awaited = new ArrayList<Awaited>();
        for (PeerPlan.Item item : plan.items(step, peer.task())) {
            awaited.add(new Awaited(item, rendezvous.recvAsync(RendezvousKey.of(peer, self, item.edge()))));
        }
        if (step % 2 == 0) {
            send(rendezvous, step);
        }
        for (Awaited one : awaited) {
            String what = one.item().edge() + " in step " + step;
            verify(what, one.item(), await(what, one.result()));
            received++;
        }
        System.out.println("received " + awaited.size() + " tensors of step " + step);
    }

    private void send(Rendezvous rendezvous, int step) {
        for (PeerPlan.Item item : plan.items(step, self.task())) {
            RendezvousKey key = RendezvousKey.of(self, peer, item.edge());
            item.shape()
                    .ifPresentOrElse(
                            shape -> rendezvous.send(key, tensor(item, shape)), () -> rendezvous.sendDead(key));
        }
    }

    private Tensor tensor(PeerPlan.Item item, Shape shape) {
        if (!item.dataType().isDmaAble()) {
            return server.allocator().allocateStrings(shape, item.strings());
        }
        Tensor tensor = server.allocator().allocate(item.dataType(), shape);
        tensor.segment().copyFrom(MemorySegment.ofArray(item.bytes()));
        return tensor;
    }

    private static void verify(String what, PeerPlan.Item item, RecvResult result) throws FailedException {
        if (item.shape().isEmpty()) {
            check(result instanceof RecvResult.Dead, what + " is not dead: " + result);
            return;
        }
        try (Tensor tensor = result.tensorOrThrow()) {
            check(tensor.dataType() == item.dataType(), what + " is another tensor: " + tensor);
            check(tensor.shape().equals(item.shape().get()), what + " is another tensor: " + tensor);
            if (!item.dataType().isDmaAble()) {
                check(sameStrings(tensor.toStrings(), item.strings()), what + " has other elements");
                return;
            }
            long at = tensor.segment().mismatch(MemorySegment.ofArray(item.bytes()));
            check(at == -1, what + " is wrong from byte " + at + " on");
        }
    }

    private static boolean sameStrings(List<byte[]> some, List<byte[]> others) {
        return Arrays.deepEquals(some.toArray(), others.toArray());
    }

    /// Asks for a tensor and expects this failure.
    private void fail(Rendezvous rendezvous, String edge, StatusCode code) throws Exception {
        CompletableFuture<RecvResult> result = rendezvous.recvAsync(RendezvousKey.of(peer, self, edge));
        try {
            throw new FailedException(edge + " came: " + result.get(leftNs(), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            check(
                    e.getCause() instanceof TransportException failure && failure.code() == code,
                    edge + " failed with " + e.getCause() + ", not with " + code);
            System.out.println(
                    "refused as it must be, " + edge + ": " + e.getCause().getMessage());
        }
    }

    /// Receives a tensor that never arrives. The request has ended when the peer has confirmed that it dropped it.
    private void giveUp() throws Exception {
        CompletableFuture<RecvResult> result =
                server.rendezvous(NEVER).recvAsync(RendezvousKey.of(peer, self, "never"));
        Thread.sleep(GIVE_UP_AFTER);
        check(server.statistics().verbs().pendingRequests() == 1, "the request does not wait");
        check(result.cancel(false), "a tensor came that nobody sent");
        await("the peer does not confirm", () -> server.statistics().verbs().pendingRequests() == 0);
    }

    /// Both ends have all they wanted when each has got the other's last tensor.
    private void finish() throws Exception {
        PeerPlan.Item last = new PeerPlan.Item("done", DataType.UINT8, Optional.of(Shape.of(4)), DONE % 256);
        Rendezvous rendezvous = server.rendezvous(DONE);
        long sent = server.statistics().tensorsSent();
        rendezvous.send(RendezvousKey.of(self, peer, "done"), tensor(last, Shape.of(4)));
        verify("done", last, await("done", rendezvous.recvAsync(RendezvousKey.of(peer, self, "done"))));
        received++;
        await(
                "the peer does not ask for the last tensor",
                () -> server.statistics().tensorsSent() > sent);
        await(
                "the last tensor is not written",
                () -> server.statistics().verbs().pendingResponses() == 0);
    }

    private RecvResult await(String what, CompletableFuture<RecvResult> result) throws Exception {
        try {
            return result.get(leftNs(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new FailedException(what + " failed: " + e.getCause());
        } catch (TimeoutException _) {
            throw new FailedException(what + " does not come");
        }
    }

    private void await(String otherwise, BooleanSupplier condition) throws Exception {
        while (!condition.getAsBoolean()) {
            check(System.nanoTime() < deadlineNs, otherwise);
            Thread.sleep(10);
        }
    }

    private long leftNs() {
        return Math.max(0, deadlineNs - System.nanoTime());
    }

    private static void check(boolean condition, String otherwise) throws FailedException {
        if (!condition) {
            throw new FailedException(otherwise);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
