package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.ServerConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Mistakes of new users, written against the public API: each ends soon, and works or reports the mistake.
///
/// Others have tests of their own: an address of another machine [ForeignAddressTest], a host that cannot be resolved
/// [UnresolvedHostTest].
@Timeout(60)
class UserMistakesTest {
    private static final long STEP = 1000;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final TestCluster cluster = new TestCluster(2);

    @AfterEach
    void stop() {
        cluster.close();
    }

    private TransportServer start(int task, String protocol) {
        return cluster.add(cluster.builder(task)
                .protocol(protocol)
                .reconnectTimeout(Duration.ofSeconds(10))
                .start());
    }

    private static RendezvousKey key(TransportServer from, TransportServer to, String name) {
        return RendezvousKey.of(from.deviceName(0), to.deviceName(0), name);
    }

    private static void send(TransportServer from, RendezvousKey key, long step) {
        try (Tensor tensor = from.allocator().allocate(DataType.FLOAT, Shape.of(10))) {
            from.rendezvous(step).send(key, tensor);
        }
    }

    private static void receive(TransportServer to, RendezvousKey key, long step) throws InterruptedException {
        to.rendezvous(step).recv(key, PATIENCE).tensorOrThrow().close();
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aTypoInAKeyIsSeenInWhatBothEndsSayOfTheirStep(String protocol) throws Exception {
        TransportServer producer = start(0, protocol);
        TransportServer consumer = start(1, protocol);
        var sent = key(producer, consumer, "gradient/7");
        var wanted = key(producer, consumer, "gradients/7");
        send(producer, sent, STEP);
        var receive = consumer.rendezvous(STEP).recvAsync(wanted);

        assertThat(producer.rendezvous(STEP))
                .hasToString("step 1000 of " + producer.workerName() + ": 1 unclaimed sends, such as " + sent
                        + "; 0 pending receives from other workers");
        assertThat(consumer.rendezvous(STEP))
                .hasToString("step 1000 of " + consumer.workerName()
                        + ": 0 unclaimed sends; 1 pending receives from other workers, such as " + wanted);
        assertThat(consumer.statistics().pendingReceives()).isOne();
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> producer.finishStep(STEP, Duration.ofMillis(200)))
                .withMessageContaining("such as " + sent);
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(receive::join)
                .havingCause()
                // The step is finished or closed by then.
                .withMessageMatching("ABORTED: .*step 1000 is (finished|closed).*");
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aDeadlineSaysThatTheProducerCannotBeReached(String protocol) {
        TransportServer consumer = start(1, protocol);
        var key = RendezvousKey.parse(key(consumer, consumer, "x").toString().replaceFirst("task:1", "task:0"));

        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> consumer.rendezvous(STEP).recv(key, Duration.ofSeconds(1)))
                .withMessageContaining("no tensor for " + key + " within PT1S")
                .withMessageContaining("no connection to " + cluster.spec.address("worker", 0))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED));
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aWorkerThatIsReplacedGoesOnFromTheNextStep(String protocol) throws Exception {
        TransportServer stays = start(0, protocol);
        for (int life = 0; life < 3; life++) {
            try (TransportServer replaced = cluster.builder(1)
                    .protocol(protocol)
                    .reconnectTimeout(Duration.ofSeconds(10))
                    .start()) {
                long step = STEP + life;
                send(stays, key(stays, replaced, "x"), step);
                send(replaced, key(replaced, stays, "x"), step);
                receive(replaced, key(stays, replaced, "x"), step);
                receive(stays, key(replaced, stays, "x"), step);
                stays.finishStep(step, PATIENCE);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void aServerThatListensOnAllAddressesIsReachedAtThatOfTheCluster(String protocol)
            throws UnknownHostException, InterruptedException {
        InetAddress all = InetAddress.getByName("0.0.0.0");
        TransportServer producer = cluster.add(cluster.builder(0)
                .protocol(protocol)
                .bindAddress(all)
                .allowInsecure(true)
                .start());
        TransportServer consumer = cluster.add(cluster.builder(1)
                .protocol(protocol)
                .bindAddress(all)
                .allowInsecure(true)
                .start());
        send(producer, key(producer, consumer, "x"), STEP);
        receive(consumer, key(producer, consumer, "x"), STEP);
    }
}
