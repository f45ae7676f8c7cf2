package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The threads of each kind of work: callbacks and long work never run on the loop, and nothing runs after the end.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ThreadsTest {
    private static final String LOOP = "tensorferry-loop";

    @Test
    void aCallbackThatBlocksStallsNoOtherTransferAndNoneRunsOnALoop() throws Exception {
        try (var workers = new LoopbackWorkers()) {
            var unblock = new CountDownLatch(1);
            var entered = new CountDownLatch(1);
            Set<String> threads = ConcurrentHashMap.newKeySet();
            var blocked = new CompletableFuture<RecvResult>();
            var rendezvous = workers.worker(0).manager.rendezvous(1);
            rendezvous.recvAsync(LoopbackWorkers.key(1, 0, "blocking"), result -> {
                threads.add(Thread.currentThread().getName());
                entered.countDown();
                awaitQuietly(unblock);
                blocked.complete(result);
            });
            send(workers, "blocking", 1);
            assertThat(entered.await(30, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 200; i++) {
                var done = new CompletableFuture<RecvResult>();
                rendezvous.recvAsync(LoopbackWorkers.key(1, 0, "other" + i % 20), result -> {
                    threads.add(Thread.currentThread().getName());
                    done.complete(result);
                });
                send(workers, "other" + i % 20, i);
                close(done.get(30, TimeUnit.SECONDS));
            }
            assertThat(blocked).isNotDone();
            unblock.countDown();
            close(blocked.get(30, TimeUnit.SECONDS));
            assertThat(threads).noneMatch(name -> name.startsWith(LOOP) || name.contains("soft0"));
        }
    }

    @Test
    void aCopyAndASerialisedFormAreMadeOffTheLoop() throws Exception {
        try (var workers = new LoopbackWorkers();
                Arena arena = Arena.ofShared();
                Tensor template = TensorAllocator.unregistered()
                        .allocateStrings(Shape.of(2), List.of(new byte[10], new byte[20]))) {
            // The transport closes the tensor on the thread that has copied or serialised it.
            BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
            MemorySegment numbers = arena.allocate(1_000);
            MemorySegment strings = template.segment();
            for (boolean receiveFirst : new boolean[] {false, true}) {
                transfer(
                        workers,
                        receiveFirst,
                        Tensor.wrap(
                                DataType.UINT8, Shape.of(1_000), numbers, () -> threads.add(Thread.currentThread())));
                assertThat(threads.take().getName()).doesNotStartWith(LOOP);
                transfer(
                        workers,
                        receiveFirst,
                        Tensor.wrap(DataType.STRING, Shape.of(2), strings, () -> threads.add(Thread.currentThread())));
                assertThat(threads.take().getName()).doesNotStartWith(LOOP);
            }
            assertThat(workers.worker(1).manager.statistics().unregisteredCopies())
                    .isEqualTo(2);
        }
    }

    private static void transfer(LoopbackWorkers workers, boolean receiveFirst, Tensor tensor) throws Exception {
        var key = LoopbackWorkers.key(1, 0, "edge");
        if (!receiveFirst) {
            workers.worker(1).manager.rendezvous(1).send(key, tensor);
        }
        var received = workers.worker(0).manager.rendezvous(1).recvAsync(key);
        if (receiveFirst) {
            workers.worker(1).manager.rendezvous(1).send(key, tensor);
        }
        close(received.get(30, TimeUnit.SECONDS));
    }

    @Test
    void closeEndsReceivesThatWaitAndAllThreads() throws Exception {
        Set<Thread> before = transportThreads();
        for (int round = 0; round < 5; round++) {
            var waiting = new ArrayList<CompletableFuture<RecvResult>>();
            Set<Thread> own;
            try (var workers = new LoopbackWorkers()) {
                for (int i = 0; i < 20; i++) {
                    waiting.add(workers.worker(0).manager.rendezvous(1).recvAsync(LoopbackWorkers.key(1, 0, "no" + i)));
                    send(workers, "yes", i);
                }
                close(workers.worker(0)
                        .manager
                        .rendezvous(1)
                        .recvAsync(LoopbackWorkers.key(1, 0, "yes"))
                        .get(30, TimeUnit.SECONDS));
                own = transportThreads();
                own.removeAll(before);
                assertThat(own)
                        .filteredOn(thread -> !thread.getName().startsWith("tensorferry-background-"))
                        .as("a loop and the two threads of a device for each worker, beside those that do long work")
                        .hasSize(6);
            }
            for (var receive : waiting) {
                assertThatThrownBy(() -> receive.get(30, TimeUnit.SECONDS))
                        .cause()
                        .isInstanceOfSatisfying(
                                TransportException.class,
                                cause -> assertThat(cause.code()).isIn(StatusCode.ABORTED, StatusCode.UNAVAILABLE));
            }
            for (Thread thread : own) {
                assertThat(thread.join(Duration.ofSeconds(10)))
                        .as("%s has ended", thread.getName())
                        .isTrue();
            }
        }
    }

    @Test
    void twoPortsWithDifferentMtusMeetAtTheSmaller() throws Exception {
        // A device refuses a path MTU over its port's.
        var small = SoftwareOptions.defaults().withMtu(1024);
        var large = SoftwareOptions.defaults().withMtu(4096);
        for (var devices : List.of(List.of(small, large), List.of(large, small))) {
            try (var workers = new LoopbackWorkers(devices)) {
                send(workers, "edge", 1);
                close(workers.worker(0)
                        .manager
                        .rendezvous(1)
                        .recvAsync(LoopbackWorkers.key(1, 0, "edge"))
                        .get(30, TimeUnit.SECONDS));
            }
        }
    }

    private static void send(LoopbackWorkers workers, String edge, int value) {
        workers.worker(1)
                .manager
                .rendezvous(1)
                .send(LoopbackWorkers.key(1, 0, edge), workers.worker(1).bytes(100, value));
    }

    private static void close(RecvResult result) {
        assertThat(result).isInstanceOf(RecvResult.Received.class);
        ((RecvResult.Received) result).tensor().close();
    }

    private static Set<Thread> transportThreads() {
        Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
        threads.removeIf(thread -> !thread.getName().startsWith("tensorferry"));
        return threads;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
