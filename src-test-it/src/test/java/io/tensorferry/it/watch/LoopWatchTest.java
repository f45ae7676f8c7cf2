package io.tensorferry.it.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.TransportServerBuilder;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.it.process.FreePorts;
import io.tensorferry.verbs.loop.CompletionLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the watch must see is seen, and what a loop may do is not.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LoopWatchTest {
    private static final long STEP = 1;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Set<Thread> before = ConcurrentHashMap.newKeySet();
    private final LoopWatch watch = new LoopWatch(thread -> !before.contains(thread));
    private TransportServer producer;
    private TransportServer consumer;

    @BeforeEach
    void start() {
        before.addAll(Thread.getAllStackTraces().keySet());
        List<Integer> ports = FreePorts.pick(2);
        var cluster =
                ClusterSpec.of(Map.of("worker", List.of("localhost:" + ports.get(0), "localhost:" + ports.get(1))));
        producer = builder(cluster, 0).start();
        consumer = builder(cluster, 1).callbacksOnLoop().start();
        watch.start();
        transfer("first");
    }

    private static TransportServerBuilder builder(ClusterSpec cluster, int task) {
        return TransportServer.builder()
                .cluster(cluster)
                .job("worker")
                .task(task)
                .protocol(ServerConfig.GRPC_VERBS);
    }

    @AfterEach
    void stop() {
        consumer.close();
        producer.close();
    }

    private void send(String edge) {
        try (Tensor tensor = producer.allocator().allocate(DataType.INT32, Shape.of(1000))) {
            producer.rendezvous(STEP).send(key(edge), tensor);
        }
    }

    private RendezvousKey key(String edge) {
        return RendezvousKey.of(producer.deviceName(0), consumer.deviceName(0), edge);
    }

    private void transfer(String edge) {
        send(edge);
        try {
            consumer.rendezvous(STEP).recv(key(edge), LIMIT).tensorOrThrow().close();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private CompletionLoop loop() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(CompletionLoop::turnedBy)
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
    }

    private void awaitViolation(String words) throws InterruptedException {
        while (true) {
            List<String> violations = watch.take();
            if (violations.stream().anyMatch(violation -> violation.contains(words))) {
                return;
            }
            Thread.sleep(1);
        }
    }

    @Test
    void everyTestOfThisModuleIsWatched() {
        assertThat(before).extracting(Thread::getName).contains("loop-watch");
    }

    @Test
    void transfersAreNoViolation() {
        for (int i = 0; i < 500; i++) {
            transfer("edge" + i);
        }
        assertThat(watch.take()).isEmpty();
    }

    @Test
    void codeOfTheUsersIsSeen() throws Exception {
        var done = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        consumer.rendezvous(STEP).recvAsync(key("called"), result -> {
            result.tensorOrThrow().close();
            await(go);
            done.countDown();
        });
        send("called");
        awaitViolation("code of the user's: " + LoopWatchTest.class.getName());
        go.countDown();
        done.await();
    }

    @Test
    void aTurnThatWaitsIsSeen() throws Exception {
        var go = new CountDownLatch(1);
        loop().execute(() -> await(go));
        awaitViolation("waited in a turn");
        go.countDown();
    }

    @Test
    void aTurnThatComputesForLongIsSeen() throws Exception {
        var seen = new CountDownLatch(1);
        loop().execute(() -> {
            while (seen.getCount() > 0) {
                Thread.onSpinWait();
            }
        });
        awaitViolation("processor time in one turn");
        seen.countDown();
    }

    @Test
    void aLockThatAnotherHoldsAcrossIoIsSeen() throws Exception {
        var lock = new ReentrantLock();
        var held = new CountDownLatch(1);
        var seen = new CountDownLatch(1);
        Pipe pipe = Pipe.open();
        Thread reader = Thread.ofPlatform().start(() -> {
            lock.lock();
            try {
                held.countDown();
                pipe.source().read(ByteBuffer.allocate(1));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                lock.unlock();
            }
        });
        held.await();
        loop().execute(() -> {
            lock.lock();
            try {
                seen.countDown();
            } finally {
                lock.unlock();
            }
        });
        awaitViolation("holds across I/O");
        pipe.sink().write(ByteBuffer.allocate(1));
        reader.join();
        seen.await();
        pipe.sink().close();
        pipe.source().close();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
