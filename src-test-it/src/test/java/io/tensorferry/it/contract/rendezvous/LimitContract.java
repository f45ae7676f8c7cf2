package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.config.RendezvousLimits;
import io.tensorferry.verbs.rendezvous.table.StepRendezvous;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// What passes a limit fails by itself; everything else goes on.
abstract class LimitContract extends RendezvousContract {
    private static final int MOST_SENDS = 20;
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_REQUESTS = 30;
    private static final int MOST_STEPS = 10;
    private static final int LARGEST = 256 << 10;

    LimitContract(Protocol protocol) {
        super(protocol);
    }

    @Override
    RendezvousLimits limits() {
        return new RendezvousLimits(MOST_SENDS, MOST_BYTES, MOST_REQUESTS, MOST_STEPS, LARGEST);
    }

    private void sendBytes(String edge, int size) {
        try (Tensor tensor = allocator().allocate(DataType.UINT8, Shape.of(size))) {
            sending().send(key(edge), tensor);
        }
    }

    private void assertRefused(String edge, int size) {
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> sendBytes(edge, size))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
                .withMessageContaining(edge);
    }

    private static void assertExhausted(TransportException failure, String why) {
        assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        assertThat(failure).hasMessageContaining(why);
    }

    @Test
    void onlySoManyTensorsWaitForSomebodyToAsk() throws Exception {
        for (int i = 0; i < MOST_SENDS; i++) {
            send("a", i);
        }
        assertRefused("a", 4);
        assertThat(Contents.number(receive("a"))).isZero();
        send("a", MOST_SENDS);
        assertRefused("b", 4);
        for (int i = 1; i <= MOST_SENDS; i++) {
            assertThat(Contents.number(receive("a"))).isEqualTo(i);
        }
    }

    @Test
    void onlySoManyBytesWaitForSomebodyToAsk() throws Exception {
        for (int i = 0; i < MOST_BYTES / LARGEST; i++) {
            sendBytes("a", LARGEST);
        }
        assertRefused("a", 1);
        receive("a").tensorOrThrow().close();
        sendBytes("a", LARGEST);
    }

    @Test
    void aTensorOverTheLargestFailsItsReceiveAlone() throws Exception {
        CompletableFuture<RecvResult> other = receiving().recvAsync(key("other"));
        sendBytes("a", LARGEST + 1);
        sendBytes("a", LARGEST);
        assertExhausted(failure(receiving().recvAsync(key("a"))), "the limit is " + LARGEST);
        receive("a").tensorOrThrow().close();
        send("other", 5);
        assertThat(Contents.number(await(other))).isEqualTo(5);
    }

    @Test
    void onlySoManyRequestsOfAPeerAreParked() throws Exception {
        List<CompletableFuture<RecvResult>> parked = new ArrayList<>();
        for (int i = 0; i < MOST_REQUESTS; i++) {
            parked.add(receiving().recvAsync(key("parked" + i)));
        }
        // Over gRPC requests may overtake each other: one that is under way must not lose its place to this one.
        eventually("all are parked", () -> parkedAt(producer()) == MOST_REQUESTS);
        TransportException failure = failure(receiving().recvAsync(key("a")));
        assertExhausted(failure, MOST_REQUESTS + " requests of this peer");
        assertThat(failure.peer()).isEqualTo(producer().workerName());
        for (int i = 0; i < MOST_REQUESTS; i++) {
            send("parked" + i, i);
        }
        for (int i = 0; i < MOST_REQUESTS; i++) {
            assertThat(Contents.number(await(parked.get(i)))).isEqualTo(i);
        }
        send("b", 7);
        assertThat(Contents.number(receive("b"))).isEqualTo(7);
    }

    private int parkedAt(TransportServer server) {
        return ((StepRendezvous) server.rendezvous(STEP)).table().waitingReceives();
    }

    @Test
    void onlySoManyStepsAreNamedByAPeerAlone() throws Exception {
        List<CompletableFuture<RecvResult>> early = new ArrayList<>();
        for (int step = 1; step <= MOST_STEPS; step++) {
            early.add(receiving(step).recvAsync(key("a")));
        }
        eventually(
                "all steps are known to the producer",
                () -> producer().statistics().openSteps() >= MOST_STEPS);
        assertExhausted(failure(receiving(MOST_STEPS + 1).recvAsync(key("a"))), MOST_STEPS + " steps");
        for (int step = 1; step <= MOST_STEPS; step++) {
            sending(step).send(key("a"), Contents.number(allocator(), step));
        }
        for (int step = 1; step <= MOST_STEPS; step++) {
            assertThat(Contents.number(await(early.get(step - 1)))).isEqualTo(step);
        }
        sending(MOST_STEPS + 1).send(key("a"), Contents.number(allocator(), 1));
        assertThat(Contents.number(receiving(MOST_STEPS + 1).recv(key("a"), LIMIT)))
                .isEqualTo(1);
    }
}
