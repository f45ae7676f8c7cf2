package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import java.time.Duration;
import java.util.Collections;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Many threads and much coming and going on one pair of software devices.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SoftwareDeviceChurnTest {
    private static final long SEED = 12;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void queuePairsComeAndGoUnderTraffic() throws Exception {
        var fixture = SoftwareDeviceContractTest.open(SoftwareOptions.defaults());
        try (var threads = Executors.newFixedThreadPool(4)) {
            Callable<Void> work = () -> {
                var random = new Random(SEED + Thread.currentThread().threadId());
                for (int round = 0; round < 40; round++) {
                    oneLife(fixture, random);
                }
                return null;
            };
            for (var future : threads.invokeAll(Collections.nCopies(4, work))) {
                future.get();
            }
        }
        fixture.close();
    }

    private static void oneLife(DevicePairFixture fixture, Random random) {
        var settings = new Endpoint.Settings();
        settings.bytes = 1 << 20;
        try (var one = new Endpoint(fixture, fixture.first(), settings);
                var other = new Endpoint(fixture, fixture.second(), settings)) {
            Endpoint.connect(one, other);
            int writes = random.nextInt(50);
            for (int i = 0; i < writes; i++) {
                one.write(i, 0, random.nextInt(1 << 20), other, 0);
            }
            switch (random.nextInt(4)) {
                case 0 -> other.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
                case 1 -> other.region.close();
                case 2 -> one.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
                default -> {
                    // Everything gets through.
                }
            }
            assertThat(fixture.await(() -> one.polled(writes), LIMIT))
                    .as("%d completions of %d", one.completed.size(), writes)
                    .isTrue();
            boolean failed = false;
            for (int i = 0; i < writes; i++) {
                assertThat(one.completed.get(i).workId()).isEqualTo(i);
                assertThat(failed && one.completed.get(i).status() == WorkStatus.SUCCESS)
                        .as("a success behind a failure")
                        .isFalse();
                failed |= one.completed.get(i).status() != WorkStatus.SUCCESS;
            }
        }
    }

    @Test
    void manyThreadsPostOnOneQueuePair() throws Exception {
        var fixture = SoftwareDeviceContractTest.open(SoftwareOptions.defaults());
        var settings = new Endpoint.Settings();
        int each = 2000;
        int posters = 4;
        try (var one = new Endpoint(fixture, fixture.first(), settings);
                var other = new Endpoint(fixture, fixture.second(), settings);
                var threads = Executors.newFixedThreadPool(posters)) {
            Endpoint.connect(one, other);
            var received = new AtomicInteger();
            for (int poster = 0; poster < posters; poster++) {
                int number = poster;
                threads.submit(() -> {
                    var request = new SendWorkRequest();
                    for (int i = 0; i < each; ) {
                        try {
                            one.queuePair.postSend(request.writeWithImmediate(i, 0, 0, 0, 0, 0, number * each + i));
                            i++;
                        } catch (VerbsException full) {
                            Thread.onSpinWait();
                        }
                    }
                });
            }
            for (int i = 0; i < 64; i++) {
                other.queuePair.postReceive(i);
            }
            int[] next = new int[posters];
            var sent = new AtomicInteger();
            boolean all = fixture.await(
                    () -> {
                        sent.addAndGet(one.completions.poll(
                                64, cursor -> assertThat(cursor.status()).isEqualTo(WorkStatus.SUCCESS)));
                        other.completions.poll(64, cursor -> {
                            int poster = cursor.immediate() / each;
                            assertThat(cursor.immediate() % each).isEqualTo(next[poster]++);
                            received.incrementAndGet();
                            other.queuePair.postReceive(cursor.workId());
                        });
                        return received.get() == posters * each && sent.get() == posters * each;
                    },
                    LIMIT);
            assertThat(all)
                    .as("%d received, %d sent", received.get(), sent.get())
                    .isTrue();
        }
        fixture.close();
    }
}
