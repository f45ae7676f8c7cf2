package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.CapturedLog;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A story told on a simulated cluster: sends, receives, and waits in virtual time. At its end nothing may be
/// pending, all memory must be back, and no exception may have reached a loop.
final class Scenario implements AutoCloseable {
    static final long MILLISECOND_NS = 1_000_000;
    static final long SECOND_NS = 1_000 * MILLISECOND_NS;
    private static final long PATIENCE_NS = 60 * SECOND_NS;

    final long seed;
    final SimulatedFabric fabric;
    final SimulatedCluster cluster;
    final CapturedLog log = CapturedLog.ofTransport();
    private final List<Long> steps = new ArrayList<>();
    private int waiting;

    Scenario(long seed, int workers) {
        this(seed, workers, 0, SimulatedCluster.Options.defaults().variedBy(seed), SimulatedFabricOptions.defaults());
    }

    Scenario(long seed, int workers, int absent, SimulatedCluster.Options options, SimulatedFabricOptions network) {
        this.seed = seed;
        this.fabric = new SimulatedFabric(seed, network);
        this.cluster = new SimulatedCluster(seed, workers, absent, fabric, options);
    }

    /// One receive, and what became of it.
    static final class Receive {
        final List<RecvResult> results = new ArrayList<>();

        @Nullable
        PendingReceive pending;

        boolean hasEnded() {
            return !results.isEmpty();
        }

        RecvResult result() {
            assertThat(results).as("results of one receive").hasSize(1);
            return results.getFirst();
        }

        Tensor tensor() {
            assertThat(result()).isInstanceOf(RecvResult.Received.class);
            return ((RecvResult.Received) result()).tensor();
        }

        TransportException failure() {
            assertThat(result()).isInstanceOf(RecvResult.Failed.class);
            return ((RecvResult.Failed) result()).cause();
        }

        boolean isFailure() {
            return result() instanceof RecvResult.Failed;
        }

        StatusCode code() {
            return failure().code();
        }

        boolean cancel() {
            return pending != null && pending.cancel();
        }

        /// Closes the tensor, if there is one.
        void close() {
            if (hasEnded() && result() instanceof RecvResult.Received(Tensor tensor)) {
                tensor.close();
            }
        }
    }

    SimulatedCluster.Worker worker(int index) {
        return cluster.worker(index);
    }

    static RendezvousKey key(int producer, int consumer, String edge) {
        return RendezvousKey.of(device(producer), device(consumer), edge);
    }

    private static DeviceName device(int worker) {
        return DeviceName.parse(SimulatedCluster.name(worker) + "/device:CPU:0");
    }

    /// A tensor of bytes in registered memory of `worker`, all of them `value`.
    static Tensor bytes(SimulatedCluster.Worker worker, long size, int value) {
        Tensor tensor = worker.adapter.memory().allocator().allocate(DataType.UINT8, Shape.of(size));
        tensor.segment().fill((byte) value);
        return tensor;
    }

    static MemorySegment bytesOnHeap(int size, int value) {
        return MemorySegment.ofArray(new byte[size]).fill((byte) value);
    }

    /// A network without surprises.
    static SimulatedFabricOptions network() {
        return SimulatedFabricOptions.defaults();
    }

    void send(int producer, int consumer, long step, String edge, Tensor tensor) {
        worker(producer).manager.rendezvous(step).send(key(producer, consumer, edge), tensor);
    }

    void send(int producer, int consumer, long step, String edge, long size, int value) {
        try (Tensor tensor = bytes(worker(producer), size, value)) {
            send(producer, consumer, step, edge, tensor);
        }
    }

    Receive receive(int producer, int consumer, long step, String edge) {
        return receive(producer, consumer, step, edge, null);
    }

    Receive receive(int producer, int consumer, long step, String edge, @Nullable Duration timeout) {
        var receive = new Receive();
        DoneCallback done = begin(receive, step);
        var rendezvous = worker(consumer).manager.rendezvous(step);
        RendezvousKey key = key(producer, consumer, edge);
        receive.pending = timeout == null ? rendezvous.recvAsync(key, done) : rendezvous.recvAsync(key, timeout, done);
        return receive;
    }

    Receive receive(int consumer, RendezvousKey key, long step, ReceiveOptions options) {
        var receive = new Receive();
        DoneCallback done = begin(receive, step);
        receive.pending = worker(consumer).manager.rendezvous(step).recvAsync(key, options, done);
        return receive;
    }

    private DoneCallback begin(Receive receive, long step) {
        if (!steps.contains(step)) {
            steps.add(step);
        }
        waiting++;
        return result -> {
            waiting--;
            receive.results.add(result);
        };
    }

    /// Every receive so far has ended.
    void awaitAll() {
        await(() -> waiting == 0, "every receive ends");
    }

    /// Sends and receives one tensor, and checks it.
    void exchange(int producer, int consumer, long step, String edge, long size, int value) {
        send(producer, consumer, step, edge, size, value);
        Receive receive = receive(producer, consumer, step, edge);
        await(receive::hasEnded, edge);
        assertContent(receive, size, value);
    }

    /// The tensor came and holds `size` bytes of `value`; it is closed.
    void assertContent(Receive receive, long size, int value) {
        Tensor tensor = receive.tensor();
        assertThat(tensor.byteSize()).as("bytes, seed %d", seed).isEqualTo(size);
        for (long i = 0; i < size; i++) {
            if (tensor.segment().get(ValueLayout.JAVA_BYTE, i) != (byte) value) {
                throw new AssertionError("byte " + i + " is " + tensor.segment().get(ValueLayout.JAVA_BYTE, i)
                        + ", expected " + (byte) value + ", seed " + seed);
            }
        }
        tensor.close();
    }

    /// Lets virtual time go on until `condition` holds.
    void await(Supplier<Boolean> condition, String what) {
        assertThat(cluster.run(fabric.now() + PATIENCE_NS, condition))
                .as("%s, within %d s of virtual time, seed %d", what, PATIENCE_NS / SECOND_NS, seed)
                .isTrue();
    }

    void runFor(long nanoseconds) {
        cluster.runFor(nanoseconds);
    }

    void closeSteps() {
        for (var worker : cluster.living()) {
            steps.forEach(worker.manager::closeStep);
        }
    }

    boolean isQuiet() {
        return cluster.living().stream()
                .map(worker -> worker.manager.statistics())
                .allMatch(statistics -> statistics.pendingRequests() == 0 && statistics.pendingResponses() == 0);
    }

    /// Ends the steps and the workers, and checks that nothing is left.
    void end() {
        closeSteps();
        await(this::isQuiet, "no request and no response is left");
        for (var worker : cluster.living()) {
            assertThat(worker.manager.statistics().openSteps())
                    .as("open steps of %s, seed %d", worker.name, seed)
                    .isZero();
        }
        cluster.close();
        for (var worker : cluster.living()) {
            assertThat(worker.adapter.memory().statistics().bytesInUse())
                    .as("bytes of %s that are not back in the pool, seed %d", worker.name, seed)
                    .isZero();
        }
        log.assertNoErrors();
    }

    @Override
    public void close() {
        cluster.close();
        log.close();
    }
}
