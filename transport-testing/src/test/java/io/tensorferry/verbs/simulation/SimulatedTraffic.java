package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Delivery;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceName;
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
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// Random sends and receives over a simulated cluster, and the book that is kept on them: each receive ends exactly
/// once, with the right content or a failure that the faults explain. Where the workers have accelerators, half of the
/// sources are there, and half of the results are to come there.
final class SimulatedTraffic {
    private static final DataType[] TYPES = DataType.values();
    private static final long LONGEST_PAUSE_NS = 3_000_000;
    private static final long LOOK_NS = 10_000;
    // Into memory that no device knows.
    private static final ReceiveOptions COPIED = ReceiveOptions.defaults().into(TensorAllocator.unregistered());
    private static final ReceiveOptions NEVER_ALLOCATED = ReceiveOptions.defaults()
            .into((_, _, _) -> {
                throw new AssertionError("a mistake of the user's allocator");
            });

    private final SimulatedCluster cluster;
    private final Random random;
    private final boolean cancels;
    private final boolean strings;
    private final List<Receive> receives = new ArrayList<>();
    private final Map<String, Integer> sent = new HashMap<>();
    // The places in their queue of the tensors that came, for each queue.
    private final Map<String, BitSet> taken = new HashMap<>();
    private final Map<StatusCode, Integer> failures = new TreeMap<>();
    private int ended;
    private int received;
    // Results whose copy was queued, and is not done.
    private int copying;
    // Draws where the user's code throws; null where it does not.
    private @Nullable Random mistakes;

    /// @param cancels whether some receives are cancelled and some steps aborted
    /// @param strings whether some tensors are of strings, which come as a whole
    SimulatedTraffic(SimulatedCluster cluster, boolean cancels, boolean strings) {
        this.cluster = cluster;
        this.random = cluster.random();
        this.cancels = cancels;
        this.strings = strings;
    }

    private static final class Receive {
        private final RendezvousKey key;
        private final long step;
        private final SimulatedCluster.Worker consumer;
        private int calls;
        private @Nullable PendingReceive pending;
        private boolean onGpu;

        Receive(RendezvousKey key, long step, SimulatedCluster.Worker consumer) {
            this.key = key;
            this.step = step;
            this.consumer = consumer;
        }
    }

    /// From now on the user's code throws wherever it runs: executors, callbacks, allocators, release actions.
    void throwEverywhere(long seed) {
        var drawn = new Random(seed);
        mistakes = drawn;
        cluster.giveCallbacksTo(executor -> callback -> {
            switch (drawn.nextInt(4)) {
                case 0 -> throw new RejectedExecutionException("full");
                case 1 -> {
                    executor.execute(callback);
                    throw new IllegalStateException("given, and yet a mistake");
                }
                case 2 -> {
                    executor.execute(callback);
                    executor.execute(callback);
                }
                default -> executor.execute(callback);
            }
        });
    }

    private void mayThrow() {
        if (mistakes != null) {
            switch (mistakes.nextInt(3)) {
                case 0 -> throw new IllegalStateException("a mistake of the user's");
                case 1 -> throw new StackOverflowError("a mistake of the user's");
                default -> {}
            }
        }
    }

    /// Plans `transfers` sends and receives in each of `steps` steps, the same edges in each, at random moments of
    /// virtual time.
    void plan(int steps, int transfers) {
        List<SimulatedCluster.Worker> workers = cluster.living();
        for (int edge = 0; edge < transfers; edge++) {
            var producer = workers.get(random.nextInt(workers.size()));
            var consumer = workers.get(random.nextInt(workers.size()));
            var key = RendezvousKey.of(device(producer, "CPU"), device(consumer, anyDevice(consumer)), "edge_" + edge);
            DataType type = anyType();
            long[] dims = randomDims();
            for (long step = 0; step < steps; step++) {
                // Now and then the metadata changes from one step to the next.
                if (random.nextInt(6) == 0) {
                    type = anyType();
                    dims = randomDims();
                }
                int queued = random.nextInt(8) == 0 ? 3 : 1;
                for (int i = 0; i < queued; i++) {
                    planTransfer(producer, consumer, key, step, type, dims);
                }
            }
        }
        if (cancels && random.nextInt(3) == 0) {
            long step = random.nextInt(steps);
            var worker = workers.get(random.nextInt(workers.size()));
            at(worker, () -> worker.manager.rendezvous(step).startAbort(StatusCode.FAILED_PRECONDITION, "a fault"));
        }
    }

    private DataType anyType() {
        DataType drawn = TYPES[random.nextInt(TYPES.length)];
        return drawn == DataType.STRING && !strings ? DataType.UINT8 : drawn;
    }

    private long[] randomDims() {
        long[] dims = new long[random.nextInt(4)];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(24);
        }
        return dims;
    }

    private static DeviceName device(SimulatedCluster.Worker worker, String type) {
        return DeviceName.parse(worker.name + "/device:" + type + ":0");
    }

    private String anyDevice(SimulatedCluster.Worker worker) {
        return worker.gpu != null && random.nextBoolean() ? "GPU" : "CPU";
    }

    private void planTransfer(
            SimulatedCluster.Worker producer,
            SimulatedCluster.Worker consumer,
            RendezvousKey key,
            long step,
            DataType type,
            long[] dims) {
        boolean dead = random.nextInt(20) == 0;
        boolean registered = random.nextInt(10) != 0;
        boolean onGpu = anyDevice(producer).equals("GPU");
        at(producer, () -> send(producer, key, step, type, Shape.of(dims), dead, registered, onGpu));
        at(consumer, () -> receive(consumer, key, step));
    }

    private void at(SimulatedCluster.Worker worker, Runnable action) {
        cluster.fabric().schedule(random.nextLong(LONGEST_PAUSE_NS), () -> {
            if (worker.isAlive()) {
                action.run();
            }
        });
    }

    private void send(
            SimulatedCluster.Worker producer,
            RendezvousKey key,
            long step,
            DataType type,
            Shape shape,
            boolean dead,
            boolean registered,
            boolean onGpu) {
        int sequence = sent.merge(queue(key, step), 1, Integer::sum) - 1;
        Rendezvous rendezvous = producer.manager.rendezvous(step);
        try {
            if (dead) {
                rendezvous.sendDead(key);
                return;
            }
            try (Tensor tensor = make(producer, registered, onGpu, key, step, sequence, type, shape)) {
                rendezvous.send(key, tensor);
            }
        } catch (TransportException e) {
            assertThat(e.code()).isIn(StatusCode.FAILED_PRECONDITION, StatusCode.ABORTED);
        }
    }

    private Tensor make(
            SimulatedCluster.Worker producer,
            boolean registered,
            boolean onGpu,
            RendezvousKey key,
            long step,
            int sequence,
            DataType type,
            Shape shape) {
        TensorAllocator host = registered ? producer.adapter.memory().allocator() : TensorAllocator.unregistered();
        if (type == DataType.STRING) {
            var elements = new ArrayList<byte[]>();
            for (long i = 0; i < shape.elementCount(); i++) {
                elements.add((key.edgeName() + step + "/" + i).getBytes(StandardCharsets.UTF_8));
            }
            return host.allocateStrings(shape, elements);
        }
        byte[] content = content(key, step, Math.toIntExact(shape.elementCount() * type.byteSize()));
        // The place in the queue, where there is room for it: receives of one key must see it grow.
        if (content.length > 0) {
            content[0] = (byte) sequence;
        }
        SimulatedAccelerator gpu = onGpu ? producer.gpu : null;
        if (gpu == null && mistakes != null && !registered) {
            var memory =
                    Arena.ofAuto().allocate(Math.max(1, content.length), 64).asSlice(0, content.length);
            memory.copyFrom(MemorySegment.ofArray(content));
            return Tensor.wrap(type, shape, memory, this::mayThrow);
        }
        if (gpu == null) {
            Tensor tensor = host.allocate(type, shape);
            tensor.segment().copyFrom(MemorySegment.ofArray(content));
            return tensor;
        }
        if (!registered) {
            return GpuScenario.tensor(gpu, type, shape, content);
        }
        Tensor tensor = producer.accelerators.first().allocator().allocate(type, shape);
        if (content.length > 0) {
            gpu.poke(tensor.address(), content);
        }
        return tensor;
    }

    private static byte[] content(RendezvousKey key, long step, int bytes) {
        byte[] content = new byte[bytes];
        new Random(key.hashCode() * 1_000_003L + step).nextBytes(content);
        return content;
    }

    private static String queue(RendezvousKey key, long step) {
        return key + "@" + step;
    }

    private void receive(SimulatedCluster.Worker consumer, RendezvousKey key, long step) {
        var receive = new Receive(key, step, consumer);
        receives.add(receive);
        ReceiveOptions options = switch (receives.size() % 4) {
            case 0 -> COPIED;
            case 1 -> ReceiveOptions.defaults().withDelivery(Delivery.QUEUED);
            default -> ReceiveOptions.defaults();
        };
        if (mistakes != null && mistakes.nextInt(6) == 0) {
            options = NEVER_ALLOCATED;
        }
        receive.onGpu = key.destination().type().equals("GPU") && options.allocator() == null;
        receive.pending = consumer.manager.rendezvous(step).recvAsync(key, options, result -> onEnd(receive, result));
        if (cancels && random.nextInt(10) == 0) {
            at(consumer, () -> receive.pending.cancel());
        }
    }

    private void onEnd(Receive receive, RecvResult result) {
        receive.calls++;
        ended++;
        assertThat(receive.calls).as("callbacks of %s", receive.key).isEqualTo(1);
        switch (result) {
            case RecvResult.Received(Tensor tensor) -> {
                received++;
                copying++;
                takeWhenCopied(receive, tensor);
            }
            case RecvResult.Dead() -> received++;
            case RecvResult.Failed(TransportException cause) -> failures.merge(cause.code(), 1, Integer::sum);
        }
        mayThrow();
    }

    private void takeWhenCopied(Receive receive, Tensor tensor) {
        DeviceEvent copied = tensor.readyEvent();
        if (copied != null && !copied.isReached()) {
            cluster.fabric().schedule(LOOK_NS, () -> takeWhenCopied(receive, tensor));
            return;
        }
        copying--;
        check(receive, tensor);
        tensor.close();
    }

    private void check(Receive receive, Tensor tensor) {
        if (tensor.dataType() == DataType.STRING) {
            List<byte[]> elements = tensor.toStrings();
            assertThat(elements).hasSize((int) tensor.shape().elementCount());
            for (int i = 0; i < elements.size(); i++) {
                assertThat(new String(elements.get(i), StandardCharsets.UTF_8))
                        .isEqualTo(receive.key.edgeName() + receive.step + "/" + i);
            }
            return;
        }
        assertThat(tensor.device())
                .as("where %s in step %d is", receive.key, receive.step)
                .isEqualTo(receive.onGpu ? receive.consumer.gpu : Device.HOST);
        byte[] content = bytes(tensor);
        byte[] expected = content(receive.key, receive.step, content.length);
        if (content.length > 0) {
            BitSet places = taken.computeIfAbsent(queue(receive.key, receive.step), _ -> new BitSet());
            assertThat(places.get(content[0]))
                    .as("tensor %d of %s in step %d came before", content[0], receive.key, receive.step)
                    .isFalse();
            places.set(content[0]);
            expected[0] = content[0];
        }
        assertThat(Arrays.mismatch(content, expected))
                .as("the first wrong byte of %s in step %d", receive.key, receive.step)
                .isEqualTo(-1);
    }

    private static byte[] bytes(Tensor tensor) {
        if (tensor.byteSize() == 0) {
            // There is no memory that could be looked at.
            return new byte[0];
        }
        return tensor.device() instanceof SimulatedAccelerator gpu
                ? gpu.peek(tensor.address(), Math.toIntExact(tensor.byteSize()))
                : tensor.segment().toArray(ValueLayout.JAVA_BYTE);
    }

    boolean allEnded() {
        return copying == 0 && receives.stream().allMatch(receive -> receive.calls == 1 || !receive.consumer.isAlive());
    }

    /// The receives that have not ended, for a message.
    List<String> waiting() {
        return receives.stream()
                .filter(receive -> receive.calls != 1 && receive.consumer.isAlive())
                .map(receive -> receive.key + " in step " + receive.step)
                .toList();
    }

    Map<StatusCode, Integer> failures() {
        return failures;
    }

    int received() {
        return received;
    }

    int ended() {
        return ended;
    }

    int started() {
        return receives.size();
    }
}
