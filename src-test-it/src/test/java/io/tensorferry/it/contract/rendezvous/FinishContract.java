package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// A finished step: all tensors sent in it are received, no more are sent, and then it is closed.
abstract class FinishContract extends RendezvousContract {
    private static final long[] SIZES = {0, 1, 5_000, 3 << 20};

    FinishContract(Protocol protocol) {
        super(protocol);
    }

    private static void awaitEnd(CompletableFuture<Void> finished) throws Exception {
        finished.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private static TransportException failureOf(CompletableFuture<Void> finished) throws Exception {
        try {
            awaitEnd(finished);
        } catch (ExecutionException e) {
            return (TransportException) e.getCause();
        }
        throw new AssertionError("the step should not have been finished");
    }

    @Test
    void whatWasSentIsReceivedBehindIt() throws Exception {
        for (int i = 0; i < SIZES.length; i++) {
            sending().send(key("edge " + i), Contents.bytes(allocator(), SIZES[i], i));
        }
        sending().send(localKey("local"), Contents.number(allocator(), 7));
        sending().sendDead(key("dead"));

        CompletableFuture<Void> finished = producer().finishStepAsync(STEP, LIMIT);

        for (int i = 0; i < SIZES.length; i++) {
            assertThat(finished).isNotDone();
            Contents.checkBytes(receive("edge " + i), SIZES[i], i);
        }
        assertThat(Contents.number(producer().rendezvous(STEP).recv(localKey("local"), LIMIT)))
                .isEqualTo(7);
        assertThat(finished).isNotDone();
        assertThat(receive("dead")).isInstanceOf(RecvResult.Dead.class);
        awaitEnd(finished);
        consumer().finishStep(STEP, LIMIT);
        for (TransportServer server : workers().all()) {
            assertThat(server.statistics().droppedSends()).isZero();
            assertThat(server.statistics().ownOpenSteps()).isZero();
            assertThat(server.statistics().oldestOwnStep()).isZero();
        }
    }

    /// The race that a close loses.
    @Test
    void stepsAreFinishedAsSoonAsTheyAreSent() throws Exception {
        int steps = 200;
        List<CompletableFuture<Void>> finished = new ArrayList<>();
        Thread producing = Thread.ofPlatform().start(() -> {
            for (int step = 0; step < steps; step++) {
                try (Tensor tensor = Contents.number(allocator(), step)) {
                    sending(STEP + step).send(key("a"), tensor);
                }
                finished.add(producer().finishStepAsync(STEP + step, LIMIT));
            }
        });
        for (int step = 0; step < steps; step++) {
            assertThat(Contents.number(receiving(STEP + step).recv(key("a"), LIMIT)))
                    .isEqualTo(step);
            consumer().finishStep(STEP + step, LIMIT);
        }
        assertThat(producing.join(LIMIT)).isTrue();
        for (CompletableFuture<Void> one : finished) {
            awaitEnd(one);
        }
    }

    @Test
    void nothingMoreIsSentInIt() throws Exception {
        send("a", 1);
        CompletableFuture<Void> finished = producer().finishStepAsync(STEP, LIMIT);

        try (Tensor late = Contents.number(allocator(), 2)) {
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> sending().send(key("a"), late))
                    .withMessageContaining("step 1 is finished")
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.ABORTED));
            assertThat(late.isClosed()).isFalse();
        }
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> sending().sendDead(key("a")))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.ABORTED));
        assertThat(Contents.number(receive("a"))).isEqualTo(1);
        awaitEnd(finished);
    }

    @Test
    void whoWaitsForWhatWasNotSentIsToldAtOnce() throws Exception {
        CompletableFuture<RecvResult> remote = receiving().recvAsync(key("a"));
        CompletableFuture<RecvResult> local = sending().recvAsync(localKey("a"));
        // So that the request of the first is there.
        send("b", 1);
        Contents.number(receive("b"));
        send("keeps it open", 2);

        CompletableFuture<Void> finished = producer().finishStepAsync(STEP, LIMIT);

        for (CompletableFuture<RecvResult> receive :
                List.of(remote, local, receiving().recvAsync(key("a")))) {
            TransportException failure = failure(receive);
            assertThat(failure.code()).isEqualTo(StatusCode.ABORTED);
            assertThat(failure).hasMessageContaining("step 1 is finished");
        }
        assertThat(finished).isNotDone();
        Contents.number(receive("keeps it open"));
        awaitEnd(finished);
    }

    @Test
    void itWaitsForTheReceivesOfItsWorker() throws Exception {
        CompletableFuture<RecvResult> waiting = receiving().recvAsync(key("a"));
        CompletableFuture<Void> finished = consumer().finishStepAsync(STEP, LIMIT);
        assertThat(finished).isNotDone();

        send("a", 3);

        assertThat(Contents.number(await(waiting))).isEqualTo(3);
        awaitEnd(finished);
    }

    @Test
    void workersThatSendToEachOtherFinishTheSameStep() throws Exception {
        RendezvousKey there = key("there");
        RendezvousKey back = workers().key(CONSUMER, PRODUCER, "back");
        sending().send(there, Contents.number(allocator(), 1));
        receiving().send(back, Contents.number(allocator(consumer()), 2));
        List<CompletableFuture<Void>> finished =
                List.of(producer().finishStepAsync(STEP, LIMIT), consumer().finishStepAsync(STEP, LIMIT));

        assertThat(Contents.number(receiving().recv(there, LIMIT))).isEqualTo(1);
        assertThat(Contents.number(sending().recv(back, LIMIT))).isEqualTo(2);
        for (CompletableFuture<Void> one : finished) {
            awaitEnd(one);
        }
    }

    @Test
    void whenItsTimeIsOverWhatIsLeftIsDropped() throws Exception {
        Tensor unasked = Contents.number(allocator(), 1);
        sending().send(key("unasked"), Contents.watched(unasked));

        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> producer().finishStep(STEP, Duration.ofMillis(50)))
                .withMessageContaining("1 unclaimed sends, such as " + key("unasked"))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED));

        eventually("the tensor is closed", unasked::isClosed);
        assertThat(producer().statistics().droppedSends()).isEqualTo(1);
        assertThat(failureCode(receiving().recvAsync(key("unasked")))).isEqualTo(StatusCode.ABORTED);
    }

    @Test
    void anotherEndOfTheStepEndsItToo() throws Exception {
        send("a", 1);
        CompletableFuture<Void> closed = producer().finishStepAsync(STEP, LIMIT);
        assertThat(producer().closeStep(STEP)).isEqualTo(1);
        assertThat(failureOf(closed).code()).isEqualTo(StatusCode.ABORTED);

        send("a", 1);
        var old = sending();
        CompletableFuture<Void> aborted = producer().finishStepAsync(STEP, LIMIT);
        old.startAbort(StatusCode.INTERNAL, "the loss is NaN");
        assertThat(failureOf(aborted).code()).isEqualTo(StatusCode.INTERNAL);

        old = sending();
        old.startAbort(StatusCode.UNKNOWN, "before");
        assertThat(failureOf(producer().finishStepAsync(STEP, LIMIT)).code()).isEqualTo(StatusCode.UNKNOWN);
        // It is closed in any case.
        assertThat(producer().statistics().ownOpenSteps()).isZero();
    }

    @Test
    void aStepIsFinishedTwiceOrUnknownOrStartsAnew() throws Exception {
        send("a", 1);
        CompletableFuture<Void> one = producer().finishStepAsync(STEP, LIMIT);
        CompletableFuture<Void> other = producer().finishStepAsync(STEP, LIMIT);
        Contents.number(receive("a"));
        awaitEnd(one);
        awaitEnd(other);

        producer().finishStep(STEP, LIMIT);
        producer().finishStep(STEP + 1, Duration.ZERO);

        send("a", 2);
        assertThat(Contents.number(receive("a"))).isEqualTo(2);
    }
}
