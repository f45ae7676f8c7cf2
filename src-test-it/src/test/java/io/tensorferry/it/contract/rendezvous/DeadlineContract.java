package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.PendingReceive;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Receives with a deadline of their own: each ends in time, and afterwards it is as if it had been cancelled.
abstract class DeadlineContract extends RendezvousContract {
    private static final Duration SHORT = Duration.ofMillis(50);

    DeadlineContract(Protocol protocol) {
        super(protocol);
    }

    @Test
    void aReceiveEndsAtItsDeadline() throws Exception {
        long start = System.nanoTime();
        var ended = new CompletableFuture<RecvResult>();
        PendingReceive receive = receiving().recvAsync(key("never"), SHORT, ended::complete);
        CompletableFuture<RecvResult> asFuture = receiving().recvAsync(key("never"), SHORT);

        assertThat(await(ended)).isInstanceOfSatisfying(RecvResult.Failed.class, failed -> {
            assertThat(failed.cause().code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
            assertThat(failed.cause()).hasMessageContaining("never").hasMessageContaining(SHORT.toString());
        });
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT.toNanos());
        assertThat(receive.cancel()).isFalse();
        assertThat(failureCode(asFuture)).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    }

    @Test
    void aReceiveOnTheSameWorkerEndsAtItsDeadline() throws Exception {
        CompletableFuture<RecvResult> local = sending().recvAsync(localKey("a"), SHORT);

        assertThat(failureCode(local)).isEqualTo(StatusCode.DEADLINE_EXCEEDED);

        sending().send(localKey("a"), Contents.number(allocator(), 4));
        assertThat(Contents.number(sending().recv(localKey("a"), LIMIT))).isEqualTo(4);
    }

    @Test
    void aReceiveFromAnAbsentPeerEndsAtItsDeadline() throws Exception {
        CompletableFuture<RecvResult> receive = receiving().recvAsync(workers().key(ABSENT, CONSUMER, "a"), SHORT);

        assertThat(failureCode(receive)).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    }

    @Test
    void aReceiveInTimeHearsNothingOfItsDeadline() throws Exception {
        CompletableFuture<RecvResult> receive = receiving().recvAsync(key("a"), LIMIT);
        CompletableFuture<RecvResult> local = sending().recvAsync(localKey("a"), Duration.ofSeconds(Long.MAX_VALUE));
        send("a", 7);
        sending().send(localKey("a"), Contents.number(allocator(), 8));

        assertThat(Contents.number(await(receive))).isEqualTo(7);
        assertThat(Contents.number(await(local))).isEqualTo(8);
    }

    @Test
    void cancellationAndAbortComeBeforeTheDeadline() throws Exception {
        var ended = new CompletableFuture<RecvResult>();
        PendingReceive receive = receiving().recvAsync(key("a"), LIMIT, ended::complete);
        CompletableFuture<RecvResult> aborted = receiving().recvAsync(key("b"), LIMIT);

        assertThat(receive.cancel()).isTrue();
        receiving().startAbort(StatusCode.INTERNAL, "over");

        assertThat(await(ended))
                .isInstanceOfSatisfying(
                        RecvResult.Failed.class,
                        failed -> assertThat(failed.cause().code()).isEqualTo(StatusCode.CANCELLED));
        assertThat(failureCode(aborted)).isEqualTo(StatusCode.INTERNAL);
    }

    @Test
    void aReceiveWhoseDeadlineHasPassedLeavesTheTensorToTheNext() throws Exception {
        CompletableFuture<RecvResult> passed = receiving().recvAsync(key("a"), Duration.ZERO);
        assertThat(failureCode(passed)).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        // The producer has heard of that when it answers a request that was made later.
        send("b", 1);
        assertThat(Contents.number(receive("b"))).isEqualTo(1);
        eventually("the request is over", () -> producerIsIdle());
        send("a", 2);
        assertThat(Contents.number(receive("a"))).isEqualTo(2);
    }

    private boolean producerIsIdle() {
        var verbs = producer().statistics().verbs();
        return verbs == null || verbs.pendingResponses() == 0;
    }

    /// No thread for each: as many receives with deadlines as threads would be too many.
    @Test
    void tenThousandDeadlinesCrossWithTensors() throws Exception {
        int count = 10_000;
        List<CompletableFuture<RecvResult>> receives = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            receives.add(receiving().recvAsync(key("edge" + i % 100), Duration.ofMillis(i % 500)));
            if (i % 2 == 0) {
                send("edge" + i % 100, i);
            }
        }
        for (CompletableFuture<RecvResult> receive : receives) {
            receive.handle((result, failure) -> {
                        if (failure instanceof TransportException cause) {
                            assertThat(cause.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
                        } else if (result instanceof RecvResult.Received(Tensor tensor)) {
                            tensor.close();
                        } else {
                            throw new AssertionError("ended with " + result, failure);
                        }
                        return null;
                    })
                    .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /// The key of another worker's tensor is checked before the deadline counts.
    @Test
    void aWrongKeyIsRefusedAtOnce() {
        RendezvousKey foreign = workers().key(CONSUMER, PRODUCER, "a");
        assertThatIllegalArgumentException().isThrownBy(() -> receiving().recvAsync(foreign, SHORT, result -> {}));
    }
}
