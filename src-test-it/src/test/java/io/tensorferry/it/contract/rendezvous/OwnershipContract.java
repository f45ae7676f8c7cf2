package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Whose a tensor is before, during and after its way.
abstract class OwnershipContract extends RendezvousContract {
    OwnershipContract(Protocol protocol) {
        super(protocol);
    }

    @Test
    void sendTakesTheHandleAndTheReceiverOwnsItsOwn() throws Exception {
        Tensor sent = Contents.number(allocator(), 7);
        sending().send(key("a"), sent);
        assertThat(sent.isClosed()).isTrue();

        try (Tensor received = receive("a").tensorOrThrow()) {
            assertThat(Contents.number(received)).isEqualTo(7);
            sent.close();
            assertThat(received.isClosed()).isFalse();
            assertThat(Contents.number(received)).isEqualTo(7);
        }
    }

    @Test
    void aSharedHandleStaysReadableAfterTheTransfer() throws Exception {
        Tensor sent = Contents.bytes(allocator(), 100_000, 1);
        Tensor kept = sent.share();
        sending().send(key("a"), sent);

        Contents.checkBytes(receive("a"), 100_000, 1);

        Contents.checkBytes(new RecvResult.Received(kept), 100_000, 1);
    }

    @Test
    void oneTensorGoesToManyReceiversByShares() throws Exception {
        try (Tensor source = Contents.bytes(allocator(), 50_000, 2)) {
            for (int i = 0; i < 20; i++) {
                sending().send(key("edge " + i), source.share());
            }
        }
        for (int i = 0; i < 20; i++) {
            Contents.checkBytes(receive("edge " + i), 50_000, 2);
        }
    }

    @Test
    void aTensorOnMemoryThatNoDeviceKnowsArrivesAllTheSame() throws Exception {
        sending().send(key("a"), Contents.bytes(TensorAllocator.unregistered(), 300_001, 3));

        Contents.checkBytes(receive("a"), 300_001, 3);
    }

    @Test
    void theHandleMayBeClosedRightAfterTheSend() throws Exception {
        for (int i = 0; i < 200; i++) {
            // By turns to the other worker and on the same one, and asked for before and after.
            boolean local = i % 4 < 2;
            Rendezvous consumer = local ? sending() : receiving();
            RendezvousKey key = local ? localKey("edge " + i) : key("edge " + i);
            CompletableFuture<RecvResult> waiting = i % 2 == 0 ? consumer.recvAsync(key) : null;
            try (Tensor tensor = Contents.bytes(allocator(), 20_000, i)) {
                sending().send(key, tensor);
            }
            // Would be in the memory of the first, were that free.
            try (Tensor _ = Contents.bytes(allocator(), 20_000, -1)) {
                Contents.checkBytes(waiting == null ? consumer.recv(key, LIMIT) : await(waiting), 20_000, i);
            }
        }
    }

    @Test
    void aHandleThatIsClosedOrWasSentIsRefusedAtOnce() throws Exception {
        Tensor closed = Contents.number(allocator(), 1);
        closed.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> sending().send(key("a"), closed))
                .withMessageContaining(key("a").toString())
                .withMessageContaining("is closed");

        CompletableFuture<RecvResult> second = receiving().recvAsync(key("b"));
        Tensor sent = Contents.number(allocator(), 2);
        sending().send(key("a"), sent);
        assertThatIllegalStateException()
                .isThrownBy(() -> sending().send(key("b"), sent))
                .withMessageContaining(key("b").toString())
                .withMessageContaining("was sent");
        assertThatIllegalStateException().isThrownBy(sent::segment).withMessageContaining("was sent");

        // What was refused took nobody's place.
        send("b", 3);
        assertThat(Contents.number(await(second))).isEqualTo(3);
        assertThat(Contents.number(receive("a"))).isEqualTo(2);
    }

    @Test
    void theCallerKeepsTheTensorThatSendRefuses() throws Exception {
        try (Tensor tensor = Contents.number(allocator(), 5)) {
            assertThatIllegalArgumentException().isThrownBy(() -> receiving().send(key("a"), tensor));
            sending().startAbort(StatusCode.INTERNAL, "why");
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> sending().send(key("a"), tensor));

            assertThat(Contents.number(new RecvResult.Received(tensor.share()))).isEqualTo(5);
        }
    }

    @Test
    void callbacksMayBlockAndCallTheRendezvous() throws Exception {
        var second = new CompletableFuture<Integer>();
        receiving().recvAsync(key("first"), first -> {
            try {
                Contents.number(first);
                second.complete(Contents.number(receive("second")));
            } catch (InterruptedException | RuntimeException e) {
                second.completeExceptionally(e);
            }
        });
        send("first", 1);
        send("other", 3);
        assertThat(Contents.number(receive("other"))).isEqualTo(3);
        send("second", 2);

        assertThat(second.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void whatACallbackThrowsChangesNothing() throws Exception {
        var calls = new AtomicInteger();
        var called = new CountDownLatch(1);
        receiving().recvAsync(key("a"), result -> {
            Contents.number(result);
            calls.incrementAndGet();
            called.countDown();
            throw new IllegalStateException("thrown by a callback, on purpose");
        });
        send("a", 1);
        assertThat(called.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        send("b", 2);

        assertThat(Contents.number(receive("b"))).isEqualTo(2);
        assertThat(calls).hasValue(1);
    }
}
