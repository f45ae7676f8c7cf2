package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.TransportStatistics;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.RendezvousLimits;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/// Two workers for each test, of a cluster of three: task 0 produces, task 1 consumes, task 2 is never started.
/// Afterwards nothing may be left over.
@Timeout(120)
abstract class RendezvousContract {
    private static final Pattern CODE_WITHIN = Pattern.compile(Arrays.stream(StatusCode.values())
            .map(code -> code.name() + ": ")
            .collect(Collectors.joining("|", ".+\\b(", ")")));

    static final int PRODUCER = 0;
    static final int CONSUMER = 1;
    static final int ABSENT = 2;
    static final long STEP = 1;
    static final Duration LIMIT = Duration.ofSeconds(60);

    private static final long WARM_UP = -1;

    private final Protocol protocol;
    private final List<Long> memoryOfChannels = new ArrayList<>();
    private long leakedBefore;
    private Workers workers;

    RendezvousContract(Protocol protocol) {
        this.protocol = protocol;
    }

    @BeforeEach
    final void startWorkers() throws Exception {
        leakedBefore = Tensor.leakedHandleCount();
        workers = Workers.start(protocol, 3, 2, limits(), acceleratorOptions());
        // With the channels set up, all that is in use is theirs.
        exchange(PRODUCER, CONSUMER);
        exchange(CONSUMER, PRODUCER);
        for (TransportServer server : workers.all()) {
            server.closeStep(WARM_UP);
            eventually("the first exchange has ended", () -> isIdle(server));
            memoryOfChannels.add(memoryInUse(server));
        }
    }

    /// What may pile up in each worker.
    RendezvousLimits limits() {
        return RendezvousLimits.defaults();
    }

    /// Of each worker's accelerator, where there are any.
    AcceleratorOptions acceleratorOptions() {
        return WorkerAccelerators.OPTIONS;
    }

    private void exchange(int from, int to) throws InterruptedException {
        RendezvousKey key = workers.key(from, to, "warm up");
        workers.get(from).rendezvous(WARM_UP).send(key, Contents.number(workers.allocator(workers.get(from)), 1));
        workers.get(to).rendezvous(WARM_UP).recv(key, LIMIT).tensorOrThrow().close();
    }

    /// A test that ends with everything received, cancelled or closed leaves no receive waiting and no memory
    /// taken.
    @AfterEach
    final void stopWorkersAndFindNothingLeft() {
        try {
            for (TransportServer server : workers.all()) {
                for (long step = STEP; step < STEP + 64; step++) {
                    server.closeStep(step);
                }
            }
            for (int task = 0; task < workers.all().size(); task++) {
                TransportServer server = workers.get(task);
                long channels = memoryOfChannels.get(task);
                eventually("nothing is pending", () -> isIdle(server));
                eventually("all memory is back in the pool", () -> memoryInUse(server) <= channels);
                eventually(
                        "nothing is on an accelerator",
                        () -> isIdle(server.statistics().accelerators()));
            }
        } finally {
            workers.close();
        }
        assertThat(Tensor.leakedHandleCount()).as("leaked handles").isEqualTo(leakedBefore);
    }

    private static long memoryInUse(TransportServer server) {
        TransportStatistics statistics = server.statistics();
        return statistics.verbs() == null ? 0 : statistics.verbs().memory().bytesInUse();
    }

    private static boolean isIdle(List<AcceleratorStatistics> accelerators) {
        return accelerators.stream()
                .allMatch(each -> each.sendProxyBytes() == 0
                        && each.receiveProxyBytes() == 0
                        && each.strandedBytes() == 0
                        && each.deviceBytesInUse() == 0);
    }

    private static boolean isIdle(TransportServer server) {
        TransportStatistics statistics = server.statistics();
        return statistics.pendingReceives() == 0
                && (statistics.verbs() == null || statistics.verbs().pendingResponses() == 0);
    }

    final Workers workers() {
        return workers;
    }

    final TransportServer producer() {
        return workers.get(PRODUCER);
    }

    final TransportServer consumer() {
        return workers.get(CONSUMER);
    }

    final Rendezvous sending() {
        return sending(STEP);
    }

    final Rendezvous sending(long step) {
        return producer().rendezvous(step);
    }

    final Rendezvous receiving() {
        return receiving(STEP);
    }

    final Rendezvous receiving(long step) {
        return consumer().rendezvous(step);
    }

    /// Makes tensors at the producer.
    final TensorAllocator allocator() {
        return allocator(producer());
    }

    /// Makes tensors at one of the workers, where it has those that it sends.
    final TensorAllocator allocator(TransportServer server) {
        return workers.allocator(server);
    }

    /// Which one of the workers has.
    final Accelerator accelerator(TransportServer server) {
        return workers.accelerator(server);
    }

    /// From the producer to the consumer.
    final RendezvousKey key(String edge) {
        return workers.key(PRODUCER, CONSUMER, edge);
    }

    /// From the producer to itself.
    final RendezvousKey localKey(String edge) {
        return workers.key(PRODUCER, PRODUCER, edge);
    }

    final void send(String edge, int value) {
        try (Tensor tensor = Contents.number(allocator(), value)) {
            sending().send(key(edge), tensor);
        }
    }

    final RecvResult receive(String edge) throws InterruptedException {
        return receiving().recv(key(edge), LIMIT);
    }

    static RecvResult await(CompletableFuture<RecvResult> receive) throws Exception {
        return receive.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    /// How a receive that must fail has failed.
    static TransportException failure(CompletableFuture<RecvResult> receive) throws Exception {
        try {
            RecvResult result = await(receive);
            throw new AssertionError("the receive should have failed, but ended with " + result);
        } catch (ExecutionException e) {
            var failure = (TransportException) e.getCause();
            assertThat(failure.getMessage())
                    .as("it says its own code, and none of a failure that it tells of")
                    .doesNotContainPattern(CODE_WITHIN);
            return failure;
        }
    }

    static StatusCode failureCode(CompletableFuture<RecvResult> receive) throws Exception {
        return failure(receive).code();
    }

    /// Waits for what another thread or process will bring about soon, and no event tells.
    static void eventually(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - start)
                    .as("nanoseconds until %s", what)
                    .isLessThan(LIMIT.toNanos());
            LockSupport.parkNanos(1_000_000);
        }
    }
}
