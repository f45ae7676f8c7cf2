package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class RendezvousTest {
    private static final RendezvousKey KEY =
            RendezvousKey.of(new DeviceName("ps", 0, 0, "CPU", 0), new DeviceName("worker", 0, 0, "CPU", 0), "edge");
    private static final Duration LONG = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration SHORT = Duration.ofMillis(1);

    private final ManualRendezvous rendezvous = new ManualRendezvous();
    private final Tensor tensor = TensorAllocator.unregistered().allocate(DataType.FLOAT, Shape.scalar());
    private final RecvResult received = new RecvResult.Received(tensor);
    private final TransportException failure =
            new TransportException(StatusCode.UNAVAILABLE, "gone", "/job:ps", 0, null);

    /// Runs `action` in another thread once the receive has been asked for.
    private Thread whenAsked(Runnable action) {
        return Thread.ofVirtual().start(() -> {
            while (!rendezvous.isAsked()) {
                Thread.onSpinWait();
            }
            action.run();
        });
    }

    @Test
    void theFutureCompletesWithTheTensorThatItsCallerOwns() throws Exception {
        CompletableFuture<RecvResult> future = rendezvous.recvAsync(KEY);
        assertThat(future).isNotDone();
        rendezvous.end(received);
        assertThat(future.get()).isSameAs(received);
        assertThat(future.get().tensorOrThrow()).isSameAs(tensor);
        assertThat(tensor.isClosed()).isFalse();
        assertThat(rendezvous.cancelled).hasValue(0);
        tensor.close();
    }

    @Test
    void theFutureCompletesWithADeadTensor() throws Exception {
        CompletableFuture<RecvResult> future = rendezvous.recvAsync(KEY);
        rendezvous.end(new RecvResult.Dead());
        assertThat(future.get()).isEqualTo(new RecvResult.Dead());
        assertThatThrownBy(() -> future.get().tensorOrThrow())
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.FAILED_PRECONDITION, TransportException::code);
        tensor.close();
    }

    @Test
    void theFutureFailsWithTheFailureItself() {
        CompletableFuture<RecvResult> future = rendezvous.recvAsync(KEY);
        rendezvous.end(new RecvResult.Failed(failure));
        assertThatThrownBy(future::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isSameAs(failure);
        tensor.close();
    }

    @Test
    void cancellingTheFutureCancelsTheReceive() {
        CompletableFuture<RecvResult> future = rendezvous.recvAsync(KEY);
        assertThat(future.cancel(false)).isTrue();
        assertThat(rendezvous.cancelled).hasValue(1);
        assertThatThrownBy(future::join).isInstanceOf(CancellationException.class);
        tensor.close();
    }

    @Test
    void aTensorThatArrivesAfterTheFutureWasCancelledIsClosed() {
        rendezvous.answersCancel = false;
        CompletableFuture<RecvResult> future = rendezvous.recvAsync(KEY);
        future.cancel(false);
        rendezvous.end(received);
        assertThat(tensor.isClosed()).isTrue();
    }

    @Test
    void aFutureWithADeadlineHandsItOnAndEndsAsTheReceiveDoes() {
        CompletableFuture<RecvResult> future = rendezvous.recvAsync(KEY, SHORT);
        assertThat(rendezvous.timeout).isEqualTo(SHORT);
        rendezvous.end(new RecvResult.Failed(failure));
        assertThatThrownBy(future::get).cause().isSameAs(failure);
        assertThat(future.cancel(false)).isFalse();
        tensor.close();
    }

    @Test
    void recvWaitsForTheTensor() throws Exception {
        whenAsked(() -> rendezvous.end(received));
        assertThat(rendezvous.recv(KEY, LONG)).isSameAs(received);
        tensor.close();
    }

    @Test
    void recvThrowsTheFailureItself() {
        whenAsked(() -> rendezvous.end(new RecvResult.Failed(failure)));
        assertThatThrownBy(() -> rendezvous.recv(KEY, LONG)).isSameAs(failure);
        tensor.close();
    }

    @Test
    void recvEndsAtItsDeadlineAndCancelsTheReceive() {
        assertThatThrownBy(() -> rendezvous.recv(KEY, SHORT))
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.DEADLINE_EXCEEDED, TransportException::code)
                .extracting(Throwable::getMessage, InstanceOfAssertFactories.STRING)
                .contains(KEY.toString(), "PT0.001S");
        assertThat(rendezvous.cancelled).hasValue(1);
        assertThatThrownBy(() -> new ManualRendezvous().recv(KEY, Duration.ofSeconds(Long.MIN_VALUE)))
                .hasMessageContaining("DEADLINE_EXCEEDED");
        tensor.close();
    }

    @Test
    void aTensorThatArrivesAfterTheDeadlineIsClosed() {
        rendezvous.answersCancel = false;
        assertThatThrownBy(() -> rendezvous.recv(KEY, SHORT)).hasMessageContaining("DEADLINE_EXCEEDED");
        assertThat(rendezvous.end(received)).isTrue();
        assertThat(tensor.isClosed()).isTrue();
    }

    @Test
    void anInterruptEndsTheWaitAndCancelsTheReceive() throws Exception {
        var thrown = new AtomicReference<Throwable>();
        Thread receiver = Thread.ofPlatform().start(() -> {
            try {
                rendezvous.recv(KEY, LONG);
            } catch (InterruptedException | RuntimeException e) {
                thrown.set(e);
            }
        });
        whenAsked(receiver::interrupt).join();
        receiver.join();
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(rendezvous.cancelled).hasValue(1);
        tensor.close();
    }

    /// A rendezvous whose receive ends just as the wait for it does, with what `wait` throws.
    private static Rendezvous endingWith(RecvResult result, Exception wait) {
        var future = new CompletableFuture<RecvResult>() {
            @Override
            public RecvResult get(long timeout, TimeUnit unit) throws InterruptedException, TimeoutException {
                if (result instanceof RecvResult.Failed(TransportException cause)) {
                    completeExceptionally(cause);
                } else {
                    complete(result);
                }
                if (wait instanceof InterruptedException interrupt) {
                    throw interrupt;
                }
                throw (TimeoutException) wait;
            }
        };
        var rendezvous = new ManualRendezvous();
        rendezvous.future = future;
        return rendezvous;
    }

    @Test
    void aTensorThatArrivesAtTheDeadlineIsReceived() throws Exception {
        assertThat(endingWith(received, new TimeoutException()).recv(KEY, SHORT))
                .isSameAs(received);
        assertThat(tensor.isClosed()).isFalse();
        tensor.close();
    }

    @Test
    void aFailureAtTheDeadlineIsThrownItself() {
        assertThatThrownBy(() -> endingWith(new RecvResult.Failed(failure), new TimeoutException())
                        .recv(KEY, SHORT))
                .isSameAs(failure);
        tensor.close();
    }

    @Test
    void aTensorThatArrivesWithTheInterruptIsClosed() {
        assertThatThrownBy(
                        () -> endingWith(received, new InterruptedException()).recv(KEY, LONG))
                .isInstanceOf(InterruptedException.class);
        assertThat(tensor.isClosed()).isTrue();
    }
}
