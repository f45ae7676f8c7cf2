package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/// Abort, cancellation, deadlines and the end of a step: each receive ends once, with the right status.
abstract class EndingContract extends RendezvousContract {
    EndingContract(Protocol protocol) {
        super(protocol);
    }

    @Test
    void abortEndsTheReceivesOfItsOwnWorker() throws Exception {
        CompletableFuture<RecvResult> remote = receiving().recvAsync(key("a"));
        CompletableFuture<RecvResult> local = receiving().recvAsync(workers().key(CONSUMER, CONSUMER, "local"));

        receiving().startAbort(StatusCode.INTERNAL, "the loss is NaN");
        receiving().startAbort(StatusCode.UNKNOWN, "only the first call counts");

        for (CompletableFuture<RecvResult> receive : List.of(remote, local)) {
            TransportException failure = failure(receive);
            assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
            assertThat(failure).hasMessageContaining("the loss is NaN");
        }
    }

    @Test
    void abortEndsTheReceivesOfPeersThatWaitForThisWorker() throws Exception {
        CompletableFuture<RecvResult> waiting = receiving().recvAsync(key("a"));
        send("b", 1);
        Contents.number(receive("b"));

        sending().startAbort(StatusCode.CANCELLED, "stopped by hand");

        TransportException failure = failure(waiting);
        assertThat(failure.code()).isEqualTo(StatusCode.CANCELLED);
        assertThat(failure).hasMessageContaining("stopped by hand");
        assertThat(failure.peer()).isEqualTo(producer().workerName());
    }

    @Test
    void afterAnAbortEverythingFailsWithItsStatus() throws Exception {
        send("queued", 1);

        sending().startAbort(StatusCode.RESOURCE_EXHAUSTED, "full");

        assertThat(failureCode(receiving().recvAsync(key("queued")))).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        assertThat(failureCode(sending().recvAsync(workers().key(CONSUMER, PRODUCER, "back"))))
                .isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> send("late", 1))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> sending().sendDead(key("late")))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
    }

    @Test
    void abortWithOkIsRefusedAndOtherStepsGoOn() throws Exception {
        assertThatIllegalArgumentException().isThrownBy(() -> sending().startAbort(StatusCode.OK, "fine"));
        sending(2).startAbort(StatusCode.ABORTED, "only step 2");
        send("a", 5);

        assertThat(Contents.number(receive("a"))).isEqualTo(5);
    }

    @Test
    void cancellationEndsOneReceiveOnce() throws Exception {
        CompletableFuture<RecvResult> other = receiving().recvAsync(key("b"));
        var cancelled = new CompletableFuture<RecvResult>();
        PendingReceive receive = receiving().recvAsync(key("a"), cancelled::complete);

        assertThat(receive.cancel()).isTrue();
        assertThat(receive.cancel()).isFalse();

        assertThat(await(cancelled))
                .isInstanceOfSatisfying(
                        RecvResult.Failed.class,
                        failed -> assertThat(failed.cause().code()).isEqualTo(StatusCode.CANCELLED));
        send("b", 2);
        assertThat(Contents.number(await(other))).isEqualTo(2);
    }

    @Test
    void cancellationComesTooLateAfterTheEnd() throws Exception {
        var ended = new CompletableFuture<RecvResult>();
        PendingReceive receive = receiving().recvAsync(key("a"), ended::complete);
        send("a", 3);

        assertThat(Contents.number(await(ended))).isEqualTo(3);
        assertThat(receive.cancel()).isFalse();
    }

    @Test
    void aLocalReceiveIsCancelledToo() throws Exception {
        var ended = new CompletableFuture<RecvResult>();
        PendingReceive receive = sending().recvAsync(localKey("a"), ended::complete);

        assertThat(receive.cancel()).isTrue();
        assertThat(await(ended)).isInstanceOf(RecvResult.Failed.class);

        sending().send(localKey("a"), Contents.number(allocator(), 4));
        assertThat(Contents.number(sending().recv(localKey("a"), LIMIT))).isEqualTo(4);
    }

    @Test
    void aCancelledReceiveDoesNotKeepTheQueueFromMovingOn() throws Exception {
        for (int i = 0; i < 20; i++) {
            receiving().recvAsync(key("a"), result -> {}).cancel();
        }
        // Each cancelled receive may have taken one tensor, if it crossed with it.
        for (int i = 0; i < 30; i++) {
            send("a", i);
        }
        int previous = -1;
        for (int i = 0; i < 10; i++) {
            int value = Contents.number(receive("a"));
            assertThat(value).isGreaterThan(previous);
            previous = value;
        }
    }

    @Test
    void aBlockingReceiveEndsAtItsDeadline() throws Exception {
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> receiving().recv(key("a"), Duration.ofMillis(50)))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED));
        send("b", 6);
        assertThat(Contents.number(receive("b"))).isEqualTo(6);
    }

    @Test
    void anInterruptEndsABlockingReceive() throws Exception {
        var thrown = new AtomicReference<Throwable>();
        Thread receiver = Thread.ofPlatform().start(() -> {
            try {
                receive("a").tensorOrThrow().close();
            } catch (InterruptedException | RuntimeException e) {
                thrown.set(e);
            }
        });
        receiver.interrupt();

        assertThat(receiver.join(LIMIT)).isTrue();
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    }

    @Test
    void closingAStepEndsItsReceivesAndDropsItsSends() throws Exception {
        CompletableFuture<RecvResult> own = receiving().recvAsync(key("never"));
        Tensor unasked = Contents.number(allocator(), 1);
        sending().send(key("unasked"), Contents.watched(unasked));
        sending().sendDead(key("unasked"));

        assertThat(producer().closeStep(STEP)).isEqualTo(2);

        assertThat(unasked.isClosed()).isTrue();
        assertThat(failureCode(own)).isEqualTo(StatusCode.ABORTED);
        assertThat(producer().statistics().droppedSends()).isEqualTo(2);
        assertThat(producer().closeStep(STEP)).isZero();
        assertThat(failureCode(receiving().recvAsync(key("late")))).isEqualTo(StatusCode.ABORTED);
    }

    @Test
    void aClosedStepStartsAnewWhenItsWorkerNamesItAgain() throws Exception {
        send("a", 1);
        var old = sending();
        producer().closeStep(STEP);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> old.sendDead(key("a")))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.ABORTED));

        send("a", 2);

        assertThat(Contents.number(receive("a"))).isEqualTo(2);
    }

    @Test
    void aPeerThatIsAbsentIsUnavailable() throws Exception {
        CompletableFuture<RecvResult> receive = receiving().recvAsync(workers().key(ABSENT, CONSUMER, "a"));

        TransportException failure = failure(receive);

        assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(failure.peer()).isEqualTo("/job:worker/replica:0/task:2");
    }
}
