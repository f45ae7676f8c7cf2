package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Tensor;
import io.tensorferry.verbs.channel.ChannelOptions;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the completion loops take of the Java heap for transfers that go as expected: nothing.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AllocationTest {
    private static final int KEYS = 64;
    private static final int WARM_UP = 30_000;
    private static final int TRANSFERS = 10_000;
    private static final int SIZE = 4096;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final RendezvousKey[] keys = new RendezvousKey[KEYS];
    private final Semaphore received = new Semaphore(0);

    @Test
    void aWarmTransferTakesNothingOnEitherLoop() throws Exception {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = LoopbackWorkers.key(1, 0, "edge" + i);
        }
        // No timer but those of transfers is due while it is measured.
        var hour = Duration.ofHours(1);
        var seconds = Duration.ofSeconds(30);
        var options = new ChannelOptions(
                1, 256, 4096, hour, hour.multipliedBy(2), seconds, seconds, Duration.ofNanos(20_000));
        try (var workers = new LoopbackWorkers(options)) {
            Tensor tensor = workers.worker(1).bytes(SIZE, 7);
            transfer(workers, tensor, WARM_UP);
            long[] loops = loops();
            assertThat(loops).hasSize(2);
            long[] before = threads.getThreadAllocatedBytes(loops);
            transfer(workers, tensor, TRANSFERS);
            long[] after = threads.getThreadAllocatedBytes(loops);
            assertThat(workers.worker(0).manager.statistics().warmRequests()).isGreaterThanOrEqualTo(TRANSFERS);
            assertThat(after).as("bytes allocated by each loop since %s", Arrays.toString(before)).isEqualTo(before);
            tensor.close();
        }
    }

    /// Rounds of all keys; in every other round the tensors are there before they are asked for.
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
        for (RendezvousKey key : keys) {
            workers.worker(1).manager.rendezvous(1).send(key, tensor.share());
        }
    }

    private void take(RecvResult result) {
        result.tensorOrThrow().close();
        received.release();
    }

    private long[] loops() {
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(thread -> thread.getThreadName().startsWith("tensorferry-loop"))
                .mapToLong(java.lang.management.ThreadInfo::getThreadId)
                .toArray();
    }
}
