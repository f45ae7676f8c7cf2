package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Many at once: nothing is lost, nothing comes twice.
abstract class ConcurrencyContract extends RendezvousContract {
    private static final int MANY = 10_000;

    ConcurrencyContract(Protocol protocol) {
        super(protocol);
    }

    private static long size(int index) {
        return new SplittableRandom(index).nextInt(3000);
    }

    private static void await(List<CompletableFuture<Void>> all) throws Exception {
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void tenThousandReceivesWaitAtOnce() throws Exception {
        var checks = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < MANY; i++) {
            int index = i;
            checks.add(receiving()
                    .recvAsync(key("edge " + i))
                    .thenAccept(result -> Contents.checkBytes(result, size(index), index)));
        }
        for (int i = 0; i < MANY; i++) {
            sending().send(key("edge " + i), Contents.bytes(allocator(), size(i), i));
        }
        await(checks);
    }

    @Test
    void tenThousandTensorsWaitAtOnce() throws Exception {
        for (int i = 0; i < MANY; i++) {
            sending().send(key("edge " + i), Contents.bytes(allocator(), size(i), i));
        }
        var checks = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < MANY; i++) {
            int index = i;
            checks.add(receiving()
                    .recvAsync(key("edge " + i))
                    .thenAccept(result -> Contents.checkBytes(result, size(index), index)));
        }
        await(checks);
    }

    @Test
    void manyThreadsSendAndReceiveBothWays() throws Exception {
        int threads = 8;
        int each = 300;
        var failures = new ArrayList<Throwable>();
        var running = new ArrayList<Thread>();
        for (int thread = 0; thread < threads; thread++) {
            int number = thread;
            boolean there = thread % 2 == 0;
            TransportServer from = there ? producer() : consumer();
            TransportServer to = there ? consumer() : producer();
            running.add(start(failures, () -> {
                for (int i = 0; i < each; i++) {
                    from.rendezvous(STEP).send(key(from, to, number, i), Contents.bytes(allocator(from), size(i), i));
                }
            }));
            running.add(start(failures, () -> {
                for (int i = 0; i < each; i++) {
                    Contents.checkBytes(to.rendezvous(STEP).recv(key(from, to, number, i), LIMIT), size(i), i);
                }
            }));
        }
        for (Thread thread : running) {
            assertThat(thread.join(LIMIT)).isTrue();
        }
        assertThat(failures).isEmpty();
    }

    private RendezvousKey key(TransportServer from, TransportServer to, int thread, int i) {
        return RendezvousKey.of(from.deviceName(0), workers().destination(to), "thread " + thread + " edge " + i % 10);
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    private static Thread start(List<Throwable> failures, Work work) {
        return Thread.ofPlatform().start(() -> {
            try {
                work.run();
            } catch (InterruptedException | RuntimeException | AssertionError e) {
                synchronized (failures) {
                    failures.add(e);
                }
            }
        });
    }

    @Test
    void cancellationsCrossWithArrivalsAndEachReceiveEndsOnce() throws Exception {
        int count = 2000;
        var ends = new CountDownLatch(count);
        var endings = new AtomicInteger();
        List<Throwable> wrong = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < count; i++) {
            int index = i;
            var receive = receiving().recvAsync(key("edge " + i), result -> {
                endings.incrementAndGet();
                try {
                    close(result);
                } catch (RuntimeException | AssertionError e) {
                    wrong.add(e);
                }
                ends.countDown();
            });
            sending().send(key("edge " + i), Contents.bytes(allocator(), size(index), index));
            if (i % 2 == 0) {
                receive.cancel();
            }
        }
        assertThat(ends.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(endings).hasValue(count);
        assertThat(wrong).isEmpty();
    }

    private static void close(RecvResult result) {
        switch (result) {
            case RecvResult.Received(var tensor) -> tensor.close();
            case RecvResult.Failed(TransportException cause) ->
                assertThat(cause.code()).isIn(StatusCode.CANCELLED, StatusCode.ABORTED);
            case RecvResult.Dead() -> throw new AssertionError("no dead tensor was sent");
        }
    }

    @Test
    void anAbortEndsTenThousandReceivesThatWait() throws Exception {
        var receives = new ArrayList<CompletableFuture<RecvResult>>();
        for (int i = 0; i < MANY; i++) {
            receives.add(receiving().recvAsync(key("edge " + i)));
        }
        receiving().startAbort(StatusCode.ABORTED, "all of them");
        for (CompletableFuture<RecvResult> receive : receives) {
            assertThat(failureCode(receive)).isEqualTo(StatusCode.ABORTED);
        }
        sending(2).send(key("next step"), Contents.number(allocator(), 8));
        assertThat(Contents.number(receiving(2).recv(key("next step"), LIMIT))).isEqualTo(8);
    }
}
