package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.api.edge.StaticSender;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.PostingOptions;
import io.tensorferry.verbs.loop.CompletionLoop;
import io.tensorferry.verbs.loop.LoopRunner;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The completion loops allocate nothing on the Java heap for transfers that succeed.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AllocationTest {
    private static final int KEYS = 64;
    private static final int WARM_UP = 30_000;
    private static final int TRANSFERS = 5_000;
    private static final int ROUNDS = 4;
    private static final int SIZE = 4096;
    private static final int SMALL = 512;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final RendezvousKey[] keys = new RendezvousKey[KEYS];
    private final List<BusyLoop> loops = new CopyOnWriteArrayList<>();
    private final Semaphore received = new Semaphore(0);

    @Test
    void aWarmTransferTakesNothingOnEitherLoop() throws Exception {
        assertTakesNothing(1, PostingOptions.defaults(), SIZE);
    }

    @Test
    void aWarmTransferInsideTheRingTakesNothingOnEitherLoop() throws Exception {
        assertTakesNothing(1, PostingOptions.defaults(), SMALL);
    }

    /// Each content goes over both lanes.
    @Test
    void aWarmTransferOverAllLanesTakesNothingOnEitherLoop() throws Exception {
        assertTakesNothing(2, new PostingOptions(0, 4096, 64 << 10, 0, 0), SIZE);
    }

    @Test
    void aTensorOfAStaticEdgeTakesNothingOnEitherLoop() throws Exception {
        for (StaticEdge.Reuse reuse : StaticEdge.Reuse.values()) {
            loops.clear();
            StaticEdge edge = StaticEdge.of(LoopbackWorkers.key(1, 0, "edge"), DataType.UINT8, Shape.of(SIZE))
                    .withReuse(reuse);
            try (var workers = workers(1, PostingOptions.defaults());
                    StaticReceiver receiver = workers.worker(0).edges.openReceiver(edge);
                    StaticSender sender = workers.worker(1).edges.openSender(edge);
                    Tensor tensor = workers.worker(1).bytes(SIZE, 7)) {
                assertTakeNothing(count -> carry(sender, receiver, tensor, count));
                assertThat(workers.worker(0).edges.statistics().tensorsReceived())
                        .isGreaterThan(TRANSFERS);
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // both loops are busy, and there may be two processors
    private static void carry(StaticSender sender, StaticReceiver receiver, Tensor tensor, int count) {
        for (int i = 0; i < count; i++) {
            sender.send(tensor.share());
            while (!receiver.poll()) {
                Thread.yield();
            }
            var _ = receiver.take();
            receiver.release();
        }
    }

    private void assertTakesNothing(int lanes, PostingOptions posting, int size) throws Exception {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = LoopbackWorkers.key(1, 0, "edge" + i);
        }
        try (var workers = workers(lanes, posting);
                Tensor tensor = workers.worker(1).bytes(size, 7)) {
            assertTakeNothing(count -> transfer(workers, tensor, count));
            assertThat(workers.worker(0).manager.statistics().warmRequests()).isGreaterThanOrEqualTo(TRANSFERS);
            assertThat(workers.worker(1).manager.statistics().tensorsCarried() >= TRANSFERS)
                    .isEqualTo(size == SMALL);
        }
    }

    private LoopbackWorkers workers(int lanes, PostingOptions posting) {
        // No timer except those of transfers is due during the measurement.
        var hour = Duration.ofHours(1);
        var seconds = Duration.ofSeconds(30);
        var options = new ChannelOptions(
                        lanes, 256, 4096, hour, hour.multipliedBy(2), seconds, seconds, Duration.ofNanos(20_000))
                .withStripeBytes(4096)
                .withPosting(posting);
        return new LoopbackWorkers(options, BusyLoop::new);
    }

    private interface Transfers {
        void run(int count) throws InterruptedException;
    }

    private void assertTakeNothing(Transfers transfers) throws InterruptedException {
        transfers.run(WARM_UP);
        long[] threadIds = loops.stream().mapToLong(BusyLoop::threadId).toArray();
        assertThat(threadIds).hasSize(2);
        long[] least = new long[threadIds.length];
        Arrays.fill(least, Long.MAX_VALUE);
        for (int round = 0; round < ROUNDS; round++) {
            long[] before = threads.getThreadAllocatedBytes(threadIds);
            transfers.run(TRANSFERS);
            long[] after = threads.getThreadAllocatedBytes(threadIds);
            for (int i = 0; i < least.length; i++) {
                least[i] = Math.min(least[i], after[i] - before[i]);
            }
        }
        // An object for each transfer would be 16 bytes at least, in every round. The bytes in some rounds are the
        // device's, and none of a transfer's: a wake-up of its peer makes a segment as long as it is not compiled,
        // its queues grow now and then.
        for (long bytes : least) {
            assertThat(bytes)
                    .as("bytes that a loop allocated for %d transfers", TRANSFERS)
                    .isLessThan(TRANSFERS);
        }
    }

    /// Rounds of all keys; in every other round the tensors are sent before they are requested. Every third tensor is
    /// released by the sender, so that its memory returns to the pool on the loop.
    private void transfer(LoopbackWorkers workers, Tensor tensor, int count) throws InterruptedException {
        for (int done = 0; done < count; done += KEYS) {
            boolean sendFirst = done / KEYS % 2 == 0;
            if (sendFirst) {
                send(workers, tensor);
            }
            for (RendezvousKey key : keys) {
                workers.worker(0).manager.rendezvous(1).recvAsync(key, this::take);
            }
            if (!sendFirst) {
                send(workers, tensor);
            }
            received.acquire(KEYS);
        }
    }

    private void send(LoopbackWorkers workers, Tensor tensor) {
        for (int i = 0; i < KEYS; i++) {
            workers.worker(1)
                    .manager
                    .rendezvous(1)
                    .send(keys[i], i % 3 == 0 ? workers.worker(1).bytes((int) tensor.byteSize(), 8) : tensor.share());
        }
    }

    private void take(RecvResult result) {
        result.tensorOrThrow().close();
        received.release();
    }

    /// A loop that never sleeps: the cost of a sleep does not belong to a transfer, and the number of sleeps is random.
    private final class BusyLoop implements LoopRunner {
        private volatile boolean running = true;
        private volatile @Nullable Thread thread;
        private volatile @Nullable CompletionLoop loop;

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // nothing depends on it: there may be fewer processors than loops
        public void start(CompletionLoop loop) {
            loops.add(this);
            thread = Thread.ofPlatform().name("busy-loop").start(() -> {
                while (running) {
                    if (loop.doWork() == 0) {
                        Thread.onSpinWait();
                        Thread.yield();
                    }
                }
            });
            this.loop = loop;
        }

        long threadId() {
            return Objects.requireNonNull(thread).threadId();
        }

        @Override
        public void stop(Runnable last) {
            Objects.requireNonNull(loop).execute(() -> {
                last.run();
                running = false;
            });
            try {
                Objects.requireNonNull(thread).join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
