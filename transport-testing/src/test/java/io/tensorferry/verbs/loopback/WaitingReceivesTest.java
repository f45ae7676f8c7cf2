package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `-Dwaiting.receives` receives wait at once for one peer, and the receiver's loop stops again and again: no queue
/// overruns, every tensor arrives once and unchanged, and the heap of a receive is bounded.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class WaitingReceivesTest {
    private static final int COUNT = Integer.getInteger("waiting.receives", 100_000);
    private static final int KEYS = 1_000;
    /// Heap for each receive at both ends together: the request, its key and its message, and the response to it.
    private static final long BYTES_EACH = 1_500;

    private final CountDownLatch ended = new CountDownLatch(COUNT);
    private final AtomicInteger wrong = new AtomicInteger();
    private final RendezvousKey[] keys = new RendezvousKey[KEYS];

    @Test
    void waitAtOnceAndArrive() throws Exception {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = LoopbackWorkers.key(1, 0, "edge" + i);
        }
        try (var workers = new LoopbackWorkers()) {
            var receiver = workers.worker(0);
            var sender = workers.worker(1);
            warmUp(workers);
            long before = usedHeap();
            for (int i = 0; i < COUNT; i++) {
                byte expected = (byte) i;
                receiver.manager.rendezvous(1).recvAsync(keys[i % KEYS], result -> take(result, expected));
            }
            while (sender.manager.statistics().pendingResponses() < COUNT) {
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(receiver.manager.statistics().pendingRequests()).isEqualTo(COUNT);
            assertThat(usedHeap() - before).as("heap of the receives").isLessThan(COUNT * BYTES_EACH);
            for (int i = 0; i < COUNT; i++) {
                sender.manager.rendezvous(1).send(keys[i % KEYS], sender.bytes(8, i));
                if (i % (COUNT / 50) == 0) {
                    receiver.adapter.loop().execute(() -> LockSupport.parkNanos(20_000_000));
                }
            }
            assertThat(ended.await(200, TimeUnit.SECONDS)).isTrue();
            assertThat(wrong).hasValue(0);
            for (int i = 0; i < 2; i++) {
                var worker = workers.worker(i);
                assertThat(worker.adapter.counters().failed()).isZero();
                assertThat(worker.adapter.counters().protocolViolations()).isZero();
                assertThat(worker.adapter.counters().unknownCompletions()).isZero();
                assertThat(worker.manager.statistics().pendingRequests()).isZero();
            }
        }
    }

    /// Half of the keys are known to the receiver: those ask with memory, the others without.
    private void warmUp(LoopbackWorkers workers) throws Exception {
        for (int i = 0; i < KEYS; i += 2) {
            workers.worker(1)
                    .manager
                    .rendezvous(2)
                    .send(keys[i], workers.worker(1).bytes(8, 1));
            RecvResult result =
                    workers.worker(0).manager.rendezvous(2).recvAsync(keys[i]).get(30, TimeUnit.SECONDS);
            result.tensorOrThrow().close();
        }
    }

    private void take(RecvResult result, byte expected) {
        if (result instanceof RecvResult.Received(Tensor tensor)) {
            if (tensor.byteSize() != 8 || tensor.segment().get(ValueLayout.JAVA_BYTE, 7) != expected) {
                wrong.incrementAndGet();
            }
            tensor.close();
        } else {
            wrong.incrementAndGet();
        }
        ended.countDown();
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
