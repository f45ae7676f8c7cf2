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
import io.tensorferry.grpc.ServerConfig;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.rendezvous.RendezvousOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

        @Option(names = "--after", description = "a file; nothing is received before it exists")
        List<Path> after = List.of();

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
        TransportServer server = TransportServer.builder()
                .config(ServerConfig.fromEnvironment())
                .rendezvousOptions(new RendezvousOptions(options.validate, entries))
                .start();
        return new PeerWorker(options, plan, server);
    }

    private void run() throws Exception {
        server.rendezvous(ABORTS + self.task())
                .startAbort(StatusCode.FAILED_PRECONDITION, "aborted by " + self.worker());
        for (Path file : options.after) {
            while (!Files.exists(file)) {
                check(System.nanoTime() < deadlineNs, file + " does not come");
                Thread.sleep(10);
            }
        }
        for (int step = 1; step <= options.steps; step++) {
            exchange(step);
        }
        fail(server.rendezvous(ABORTS + peer.task()), "aborted", StatusCode.FAILED_PRECONDITION);
        giveUp();
        finish();
        check(Tensor.leakedHandleCount() == 0, "tensors were leaked");
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
            item.shape().ifPresentOrElse(
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
            System.out.println("refused as it must be, " + edge + ": " + e.getCause().getMessage());
        }
    }

    /// A tensor that never comes; that the peer drops the request is seen at the peer.
    private void giveUp() throws Exception {
        CompletableFuture<RecvResult> result =
                server.rendezvous(NEVER).recvAsync(RendezvousKey.of(peer, self, "never"));
        Thread.sleep(GIVE_UP_AFTER);
        check(result.cancel(false), "a tensor came that nobody sent");
    }

    /// Both ends have all they wanted when each has asked for the other's last tensor.
    private void finish() throws Exception {
        var collected = new CountDownLatch(1);
        var memory = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, "done".getBytes(StandardCharsets.US_ASCII));
        Rendezvous rendezvous = server.rendezvous(DONE);
        Tensor last = Tensor.wrap(DataType.INT32, Shape.of(1), memory, collected::countDown);
        rendezvous.send(RendezvousKey.of(self, peer, "done"), last);
        try (Tensor tensor = await("done", rendezvous.recvAsync(RendezvousKey.of(peer, self, "done")))
                .tensorOrThrow()) {
            check(tensor.segment().mismatch(memory) == -1, "done has other bytes");
            received++;
        }
        check(collected.await(leftNs(), TimeUnit.NANOSECONDS), "the peer does not ask for the last tensor");
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
