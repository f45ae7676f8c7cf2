package io.tensorferry.cli.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.verbs.config.RdmaConfig;
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

    private final AcceleratorTime time = AcceleratorTime.real();
    private final List<SimulatedAccelerator> gpus = List.of(gpu(0), gpu(1));

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
        here = conversation(first);
        there = conversation(second);
    }

    private static Conversation conversation(TransportServer server) {
        return new Conversation(server, server.channels().getFirst(), new Residence(server, null), PATIENCE);
    }

    private static String freeAddress() throws IOException {
        return "127.0.0.1:" + Route.freePort(InetAddress.ofLiteral("127.0.0.1"));
    }

    private SimulatedAccelerator gpu(int index) {
        return new SimulatedAccelerator(index, time, index, SimulatedAcceleratorOptions.defaults());
    }

    private TransportServer start(ClusterSpec cluster, int task) {
        return TransportServer.builder()
                .cluster(cluster)
                .job("worker")
                .task(task)
                .rdmaConfig(RdmaConfig.builder().device("soft0").build())
                .accelerators(List.of(gpus.get(task)))
                .start();
    }

    @AfterEach
    void stop() {
        here.close();
        there.close();
        first.close();
        second.close();
        for (SimulatedAccelerator gpu : gpus) {
            assertThat(gpu.mistakes()).isEmpty();
            gpu.close();
        }
        time.close();
        assertThat(Tensor.leakedHandleCount()).isZero();
    }

    @Test
    void notesArriveAsTheyWereWritten() throws Exception {
        var plan = new Plan(Plan.VERSION, List.of(new Plan.Item(8, 3), new Plan.Item(1 << 20, 5)));
        var answer = new Answer("1.0", "mlx5_0", 1, "TCP", "GPU:0 (NVIDIA H200)", null);
        here.say(plan);
        there.say(answer);
        assertThat(there.hear(Plan.class)).isEqualTo(plan);
        assertThat(here.hear(Answer.class)).isEqualTo(answer);
    }

    @Test
    void whoKnowsNothingOfGpusLeavesThemOutOfHisNotes() throws Exception {
        leave("Answer", "{'version': '0.1', 'device': 'mlx5_0', 'port': 1, 'way': 'TCP'}");
        assertThat(there.hear(Answer.class)).isEqualTo(new Answer("0.1", "mlx5_0", 1, "TCP", null, null));

        leave("Report", "{'timings': [], 'what this version does not know': {}}");
        assertThat(there.hear(Report.class)).isEqualTo(new Report(List.of(), null, null));
    }

    @Test
    void whoHasHeardSomethingKnowsHowItsRequestsTravel() throws Exception {
        here.say(new Go(""));
        there.hear(Go.class);
        assertThat(there.way()).isEqualTo("shared memory");
        first.close();
        // The software device reports the loss of a connection by itself; the test's own timeout bounds the wait.
        while (!second.channels().isEmpty()) {
            Thread.sleep(5);
        }
        assertThat(there.way()).isEmpty();
    }

    @Test
    void tensorsOfTheOtherPatternAreFound() throws Exception {
        var item = new Plan.Item(100_003, 2);
        findsTheOtherPattern(item);
    }

    @Test
    void tensorsOfTheOtherPatternAreFoundOnGpus() throws Exception {
        here = onGpu(first, 0);
        there = onGpu(second, 1);
        findsTheOtherPattern(new Plan.Item(100_003, 2));
    }

    private Conversation onGpu(TransportServer server, int gpu) {
        return new Conversation(server, server.channels().getFirst(), new Residence(server, gpus.get(gpu)), PATIENCE);
    }

    private void findsTheOtherPattern(Plan.Item item) throws InterruptedException {
        here.offer(item, 1);
        assertThat(there.fetch(item, 1).rounds()).isEqualTo(2);

        here.offer(item, 2);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> there.fetch(item, 1))
                .withMessageContaining(
                        "a tensor of 100003 bytes arrived with other content than was sent, from byte 0 on")
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.DATA_LOSS));
    }

    @Test
    void whatIsNoNoteIsRefused() {
        RendezvousKey key = RendezvousKey.of(first.deviceName(0), second.deviceName(0), "Go");
        Tensor floats = first.allocator().allocate(DataType.FLOAT, Shape.of(2));
        first.rendezvous(first.channels().getFirst().connectionId()).send(key, floats);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> there.hear(Go.class))
                .withMessageContaining("the other end sent a note that is not a Go: it is Tensor[FLOAT");

        leave("Go", "[1]");
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> there.hear(Go.class))
                .withMessageContaining(
                        "the other end sent a note that is not a Go: its JSON has another form; do both ends run"
                                + " the same version?")
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.INTERNAL));
    }

    private void leave(String note, String text) {
        byte[] bytes = text.replace('\'', '"').getBytes(StandardCharsets.US_ASCII);
        Tensor tensor = first.allocator().allocate(DataType.UINT8, Shape.of(bytes.length));
        tensor.asByteBuffer().put(bytes);
        first.rendezvous(first.channels().getFirst().connectionId())
                .send(RendezvousKey.of(first.deviceName(0), second.deviceName(0), note), tensor);
    }
}
