package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.verbs.rendezvous.CallbackExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A user's executor rejects callbacks, blocks their submitter, or runs them and then throws: each callback
/// runs once, and the server goes on.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RejectedCallbackTest {
    private static final int RECEIVES = 50;

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC_VERBS, ServerConfig.GRPC})
    void aBoundedPoolMayReject(String protocol) throws Exception {
        var busy = new CountDownLatch(1);
        try (var log = LogLines.of(CallbackExecutor.class);
                var pool = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(1))) {
            pool.execute(() -> await(busy));
            pool.execute(() -> {});
            try (var cluster = cluster(protocol, pool)) {
                transfer(cluster, 1);
                assertThat(cluster.server(1).statistics().refusedCallbacks()).isEqualTo(RECEIVES);
                assertThat(log.warnings()).hasSize(1);
            } finally {
                busy.countDown();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC_VERBS, ServerConfig.GRPC})
    void anExecutorMayThrowAnErrorAfterItHasRunTheCallback(String protocol) throws Exception {
        Executor odd = callback -> {
            callback.run();
            throw new AssertionError("a mistake of the user's");
        };
        try (var cluster = cluster(protocol, odd)) {
            transfer(cluster, 1);
            transfer(cluster, 2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC_VERBS, ServerConfig.GRPC})
    void anExecutorMayWaitAndTransfersGoOnMeanwhile(String protocol) throws Exception {
        var stuck = new CountDownLatch(1);
        try (var cluster = cluster(protocol, callback -> {
            await(stuck);
            callback.run();
        })) {
            List<CompletableFuture<RecvResult>> ended = receive(cluster, 1);
            send(cluster, 1);
            // A thread in recv needs no executor, so the blocked executor does not delay it.
            TransportServer producer = cluster.server(0);
            TransportServer consumer = cluster.server(1);
            producer.rendezvous(2).send(TestCluster.key(producer, consumer, "blocking"), tensor(producer, 7));
            try (Tensor received = consumer.rendezvous(2)
                    .recv(TestCluster.key(producer, consumer, "blocking"), Duration.ofSeconds(20))
                    .tensorOrThrow()) {
                assertThat(received.toIntArray()).containsExactly(7);
            }
            assertThat(ended).noneMatch(CompletableFuture::isDone);
            stuck.countDown();
            for (CompletableFuture<RecvResult> end : ended) {
                end.get().tensorOrThrow().close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC_VERBS, ServerConfig.GRPC})
    void aCallbackMayThrowAnError(String protocol) throws Exception {
        try (var cluster = cluster(protocol, Runnable::run)) {
            TransportServer producer = cluster.server(0);
            TransportServer consumer = cluster.server(1);
            consumer.rendezvous(1).recvAsync(TestCluster.key(producer, consumer, "bad"), result -> {
                result.tensorOrThrow().close();
                throw new StackOverflowError("a mistake of the user's");
            });
            producer.rendezvous(1).send(TestCluster.key(producer, consumer, "bad"), tensor(producer, 1));
            transfer(cluster, 2);
        }
    }

    private static TestCluster cluster(String protocol, Executor callbacks) {
        var cluster = new TestCluster(2);
        cluster.add(cluster.builder(0).protocol(protocol).start());
        cluster.add(cluster.builder(1)
                .protocol(protocol)
                .callbackExecutor(callbacks)
                .start());
        return cluster;
    }

    /// Receives many tensors in a step of this number, and sends them; each callback runs once.
    private static void transfer(TestCluster cluster, long step) throws Exception {
        List<CompletableFuture<RecvResult>> ended = receive(cluster, step);
        send(cluster, step);
        for (int i = 0; i < RECEIVES; i++) {
            try (Tensor tensor = ended.get(i).get(20, TimeUnit.SECONDS).tensorOrThrow()) {
                assertThat(tensor.toIntArray()).containsExactly(i);
            }
        }
    }

    private static List<CompletableFuture<RecvResult>> receive(TestCluster cluster, long step) {
        TransportServer producer = cluster.server(0);
        TransportServer consumer = cluster.server(1);
        List<CompletableFuture<RecvResult>> ended = new ArrayList<>();
        for (int i = 0; i < RECEIVES; i++) {
            var end = new CompletableFuture<RecvResult>();
            ended.add(end);
            consumer.rendezvous(step).recvAsync(TestCluster.key(producer, consumer, "t" + i), result -> {
                if (!end.complete(result)) {
                    throw new IllegalStateException("the callback ran twice");
                }
            });
        }
        return ended;
    }

    private static void send(TestCluster cluster, long step) {
        TransportServer producer = cluster.server(0);
        for (int i = 0; i < RECEIVES; i++) {
            producer.rendezvous(step).send(TestCluster.key(producer, cluster.server(1), "t" + i), tensor(producer, i));
        }
    }

    private static Tensor tensor(TransportServer producer, int value) {
        Tensor tensor = producer.allocator().allocate(DataType.INT32, Shape.of(1));
        tensor.asByteBuffer().putInt(value);
        return tensor;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RejectedExecutionException("interrupted", e);
        }
    }
}
