package io.tensorferry.cli.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.ClusterSpec;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.device.RdmaConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConversationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private TransportServer first;
    private TransportServer second;
    private Conversation here;
    private Conversation there;

    @BeforeEach
    void start() throws Exception {
        ClusterSpec cluster = ClusterSpec.of(Map.of("worker", List.of(freeAddress(), freeAddress())));
        first = start(cluster, 0);
        second = start(cluster, 1);
        first.awaitPeers(PATIENCE);
        here = new Conversation(first, first.channels().getFirst(), PATIENCE);
        there = new Conversation(second, second.channels().getFirst(), PATIENCE);
    }

    private static String freeAddress() throws IOException {
        return "127.0.0.1:" + Route.freePort(InetAddress.ofLiteral("127.0.0.1"));
    }

    private static TransportServer start(ClusterSpec cluster, int task) {
        return TransportServer.builder()
                .cluster(cluster)
                .job("worker")
                .task(task)
                .rdmaConfig(RdmaConfig.builder().device("soft0").build())
                .start();
    }

    @AfterEach
    void stop() {
        here.close();
        there.close();
        first.close();
        second.close();
        assertThat(Tensor.leakedHandleCount()).isZero();
    }

    @Test
    void notesArriveAsTheyWereWritten() throws Exception {
        var plan = new Plan(Plan.VERSION, List.of(new Plan.Item(8, 3), new Plan.Item(1 << 20, 5)));
        var answer = new Answer("1.0", "mlx5_0", 1, "TCP", null);
        here.say(plan);
        there.say(answer);
        assertThat(there.hear(Plan.class)).isEqualTo(plan);
        assertThat(here.hear(Answer.class)).isEqualTo(answer);
    }

    @Test
    void whoHasHeardSomethingKnowsHowItsRequestsTravel() throws Exception {
        here.say(new Go(""));
        there.hear(Go.class);
        assertThat(there.way()).isEqualTo("shared memory");
        first.close();
        // The software device tells the loss of a connection by itself; the test's own limit bounds this.
        while (!second.channels().isEmpty()) {
            Thread.sleep(5);
        }
        assertThat(there.way()).isEmpty();
    }

    @Test
    void tensorsOfTheOtherPatternAreFound() throws Exception {
        var item = new Plan.Item(100_003, 2);
        here.offer(item, 1);
        assertThat(there.fetch(item, 1).rounds()).isEqualTo(2);

        here.offer(item, 2);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> there.fetch(item, 1))
                .withMessageContaining(
                        "a tensor of 100003 bytes arrived with other bytes than were sent, from byte 0 on")
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.DATA_LOSS));
    }

    @Test
    void whatIsNoNoteIsRefused() {
        RendezvousKey key = RendezvousKey.of(first.deviceName(0), second.deviceName(0), "Go");
        Tensor floats = first.allocator().allocate(DataType.FLOAT, Shape.of(2));
        first.rendezvous(first.channels().getFirst().connectionId()).send(key, floats);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> there.hear(Go.class))
                .withMessageContaining("the other end sent a note that is no Go: it is Tensor[FLOAT");

        Tensor text = first.allocator().allocate(DataType.UINT8, Shape.of(3));
        text.asByteBuffer().put("[1]".getBytes(StandardCharsets.US_ASCII));
        first.rendezvous(first.channels().getFirst().connectionId()).send(key, text);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> there.hear(Go.class))
                .withMessageContaining("the other end sent a note that is no Go: ")
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.INTERNAL));
    }
}
