package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.WorkStatus;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Independently of a device, a peer or the user's code, the loop turns: it neither ends nor waits for them.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LoopStaysFreeTest {
    private static final int TENSORS = 8;

    @ParameterizedTest
    @EnumSource(RemoteKeyScope.class)
    void setUpAndEndOfAChannelAreNoWorkOfTheLoop(RemoteKeyScope scope) throws Exception {
        var device = new FaultyDevice();
        var watch = new LoopWatch();
        device.observe(watch);
        try (var workers = new LoopbackWorkers(device, scope)) {
            for (int round = 1; round <= 3; round++) {
                transfer(workers, round, 5_000);
                device.failNextCompletion(WorkStatus.RETRY_EXC_ERR, 0);
                transferOrLose(workers, 100 + round);
                awaitFailed(workers, round);
            }
            device.raise(new AsyncEvent(AsyncEvent.Type.DEVICE_FATAL, 0));
            awaitFailed(workers, 4);
        }
        watch.assertKept();
    }

    @Test
    void aSlowWayToAPeerKeepsNobodyElse() throws Exception {
        var device = new FaultyDevice();
        var go = new CountDownLatch(1);
        var asked = new CountDownLatch(1);
        device.observe((method, arguments) -> {
            if (method.equals("modify") && ((QueuePairAttributes) arguments[0]).target() == QueuePairState.RTR) {
                asked.countDown();
                await(go);
            }
        });
        try (var workers = new LoopbackWorkers(device)) {
            var key = LoopbackWorkers.key(1, 0, "edge");
            workers.worker(1).manager.rendezvous(1).send(key, workers.worker(1).bytes(100, 1));
            CompletableFuture<RecvResult> receive =
                    workers.worker(0).manager.rendezvous(1).recvAsync(key);
            asked.await();
            // The driver waits for the neighbour, and the loop goes on.
            var turned = new CountDownLatch(1);
            workers.worker(0).adapter.loop().execute(turned::countDown);
            turned.await();
            assertThat(receive).isNotDone();
            go.countDown();
            receive.get().tensorOrThrow().close();
        }
    }

    @Test
    void aCompletionChannelThatFailsIsADeviceThatIsGone() throws Exception {
        var device = new FaultyDevice();
        try (var workers = new LoopbackWorkers(device)) {
            transfer(workers, 1, 100);
            var waiting = workers.worker(0).manager.rendezvous(1).recvAsync(LoopbackWorkers.key(1, 0, "never"));
            device.refuse("await");
            assertThat(failureOf(waiting).verbsStatus()).isEqualTo("DEVICE_FATAL");
            // The loop sleeps without the device, and is woken.
            for (int i = 0; i < 100; i++) {
                var turned = new CountDownLatch(1);
                workers.worker(0).adapter.loop().execute(turned::countDown);
                turned.await();
            }
            var later = workers.worker(0).manager.rendezvous(1).recvAsync(LoopbackWorkers.key(1, 0, "later"));
            assertThat(failureOf(later).code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(workers.worker(0).adapter.loop().mistakes()).isZero();
            device.recover();
        }
    }

    @Test
    void releaseActionsThatThrowOrWaitEndNothing() throws Exception {
        var watch = new LoopWatch();
        var go = new CountDownLatch(1);
        var released = new AtomicInteger();
        try (var workers = new LoopbackWorkers();
                Arena arena = Arena.ofShared()) {
            var memory = arena.allocate(64L * TENSORS, 64);
            try (var _ = workers.worker(1).adapter.memory().register(memory)) {
                List<CompletableFuture<RecvResult>> receives = new ArrayList<>();
                for (int i = 0; i < TENSORS; i++) {
                    receives.add(workers.worker(0).manager.rendezvous(1).recvAsync(LoopbackWorkers.key(1, 0, "t" + i)));
                }
                for (int i = 0; i < TENSORS; i++) {
                    var tensor = Tensor.wrap(DataType.UINT8, Shape.of(64), memory.asSlice(64L * i, 64), () -> {
                        watch.userCode("a release action");
                        await(go);
                        released.incrementAndGet();
                        throw new IllegalStateException("a mistake of the user's");
                    });
                    workers.worker(1).manager.rendezvous(1).send(LoopbackWorkers.key(1, 0, "t" + i), tensor);
                }
                for (CompletableFuture<RecvResult> receive : receives) {
                    receive.get().tensorOrThrow().close();
                }
                // The callbacks wait, and transfers go on.
                transfer(workers, 2, 5_000);
                assertThat(released).hasValue(0);
                go.countDown();
                while (released.get() < TENSORS) {
                    Thread.sleep(1);
                }
            }
            assertThat(workers.worker(1).adapter.counters().failed()).isZero();
            assertThat(workers.worker(1).adapter.loop().mistakes()).isZero();
        }
        watch.assertKept();
    }

    @Test
    void callbacksThatComputeKeepNoWorkerOfTheTransport() throws Exception {
        try (var workers = new LoopbackWorkers()) {
            var computing = new AtomicBoolean(true);
            int callbacks = 2 * Runtime.getRuntime().availableProcessors();
            var begun = new CountDownLatch(Runtime.getRuntime().availableProcessors());
            for (int i = 0; i < callbacks; i++) {
                var key = LoopbackWorkers.key(1, 0, "computed" + i);
                workers.worker(0).manager.rendezvous(1).recvAsync(key, result -> {
                    result.tensorOrThrow().close();
                    begun.countDown();
                    while (computing.get()) {
                        Thread.onSpinWait();
                    }
                });
                workers.worker(1)
                        .manager
                        .rendezvous(1)
                        .send(key, workers.worker(1).bytes(100, 1));
            }
            try {
                begun.await();
                // Every carrier of the virtual threads is busy. The copy of the source, which is not registered, and
                // the memory of the result are work of the transport.
                var key = LoopbackWorkers.key(1, 0, "slow");
                try (Arena arena = Arena.ofShared()) {
                    var source = arena.allocate(1 << 20);
                    workers.worker(1)
                            .manager
                            .rendezvous(1)
                            .send(key, Tensor.wrap(DataType.UINT8, Shape.of(1 << 20), source, () -> {}));
                    workers.worker(0)
                            .manager
                            .rendezvous(1)
                            .recv(key, Duration.ofSeconds(30))
                            .tensorOrThrow()
                            .close();
                }
            } finally {
                computing.set(false);
            }
        }
    }

    @Test
    void aCommandThatThrowsAnErrorEndsNothing() throws Exception {
        try (var workers = new LoopbackWorkers()) {
            transfer(workers, 1, 100);
            for (int i = 0; i < 10; i++) {
                workers.worker(0).adapter.loop().execute(() -> {
                    throw new StackOverflowError("a mistake");
                });
            }
            transfer(workers, 2, 100);
            assertThat(workers.worker(0).adapter.loop().mistakes()).isEqualTo(10);
            assertThat(workers.worker(0).adapter.counters().failed()).isZero();
        }
    }

    /// The content may be lost with the channel.
    private static void transferOrLose(LoopbackWorkers workers, long step) throws Exception {
        try {
            transfer(workers, step, 5_000);
        } catch (ExecutionException e) {
            assertThat(((TransportException) e.getCause()).code()).isEqualTo(StatusCode.UNAVAILABLE);
        }
    }

    private static void awaitFailed(LoopbackWorkers workers, long channels) throws InterruptedException {
        while (workers.worker(0).adapter.counters().failed() < channels) {
            Thread.sleep(1);
        }
    }

    private static void transfer(LoopbackWorkers workers, long step, int size) throws Exception {
        var key = LoopbackWorkers.key(1, 0, "edge");
        workers.worker(1).manager.rendezvous(step).send(key, workers.worker(1).bytes(size, 1));
        workers.worker(0)
                .manager
                .rendezvous(step)
                .recvAsync(key)
                .get(30, TimeUnit.SECONDS)
                .tensorOrThrow()
                .close();
    }

    private static TransportException failureOf(CompletableFuture<RecvResult> receive) throws Exception {
        try {
            receive.get(30, TimeUnit.SECONDS);
            throw new AssertionError("it was received");
        } catch (ExecutionException e) {
            return (TransportException) e.getCause();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
