package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.cluster.ServerConfig;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A callback executor that runs callbacks on the thread that calls it: they run on the transport's loop, and may do
/// do there anything that callbacks do, except wait.
@Timeout(60)
class CallbacksOnTheLoopTest {
    private static final long STEP = 3;
    private static final int ROUNDS = 5_000;

    private final TestCluster cluster = new TestCluster(2);
    private final CompletableFuture<Integer> result = new CompletableFuture<>();

    @BeforeEach
    void start() throws InterruptedException {
        for (int task = 0; task < 2; task++) {
            cluster.add(cluster.builder(task)
                    .protocol(ServerConfig.GRPC_VERBS)
                    .callbacksOnLoop()
                    .start());
        }
        cluster.server(1).awaitPeers(Duration.ofSeconds(20));
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private RendezvousKey key(int from, String edge) {
        return TestCluster.key(cluster.server(from), cluster.server(1 - from), edge);
    }

    private void send(int from, String edge, int value) {
        Tensor tensor = cluster.server(from).allocator().allocate(DataType.INT32, Shape.of(1));
        tensor.segment().set(ValueLayout.JAVA_INT, 0, value);
        cluster.server(from).rendezvous(STEP).send(key(from, edge), tensor);
    }

    private static int valueOf(RecvResult received) {
        try (Tensor tensor = received.tensorOrThrow()) {
            return tensor.segment().get(ValueLayout.JAVA_INT, 0);
        }
    }

    private int outcome() throws Exception {
        return result.get(40, TimeUnit.SECONDS);
    }

    /// Each worker answers what it receives with the next number, and asks for the answer, all in its callback.
    private void answerEach(int worker) {
        cluster.server(worker).rendezvous(STEP).recvAsync(key(1 - worker, "ball"), received -> {
            try {
                int value = valueOf(received);
                assertThat(Thread.currentThread().getName()).startsWith("tensorferry-loop-");
                if (value == ROUNDS) {
                    result.complete(value);
                    return;
                }
                answerEach(worker);
                send(worker, "ball", value + 1);
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
    }

    private void play() throws Exception {
        answerEach(0);
        answerEach(1);
        send(0, "ball", 1);
        assertThat(outcome()).isEqualTo(ROUNDS);
    }

    @Test
    void mayReceiveAndSend() throws Exception {
        play();
    }

    @Test
    void mayThrow() throws Exception {
        cluster.server(1).rendezvous(STEP).recvAsync(key(0, "bad"), received -> {
            valueOf(received);
            throw new IllegalStateException("a mistake of the user's");
        });
        send(0, "bad", 1);
        play();
    }

    @Test
    void mayCancelAnotherReceive() throws Exception {
        PendingReceive other = cluster.server(1).rendezvous(STEP).recvAsync(key(0, "never"), ended -> {
            if (ended instanceof RecvResult.Failed(var cause)) {
                result.complete(cause.code().number());
            }
        });
        cluster.server(1).rendezvous(STEP).recvAsync(key(0, "now"), received -> {
            valueOf(received);
            other.cancel();
        });
        send(0, "now", 1);
        assertThat(outcome()).isEqualTo(StatusCode.CANCELLED.number());
    }
}
