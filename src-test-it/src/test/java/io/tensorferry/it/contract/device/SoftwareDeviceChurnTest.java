package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Many threads work on one pair of software devices, and their queue pairs come and go. A failure names the seed and
/// the
/// round; each worker draws from a generator of its own, so its rounds do not depend on the other threads.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SoftwareDeviceChurnTest {
    private static final long SEED = 12;
    private static final int WORKERS = 4;
    private static final int ROUNDS = 40;
    private static final int BYTES = 1 << 20;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /// What ends a life before its time.
    private enum Fault {
        PEER_FAILS,
        MEMORY_IS_CLOSED,
        QUEUE_PAIR_FAILS,
        NONE
    }

    @Test
    void queuePairsComeAndGoUnderTraffic() throws Exception {
        var undisturbed = new AtomicInteger();
        try (var fixture = SoftwareDeviceContractTest.open(SoftwareOptions.defaults());
                var threads = Executors.newFixedThreadPool(WORKERS)) {
            List<Callable<Void>> works = new ArrayList<>();
            for (int worker = 0; worker < WORKERS; worker++) {
                long seed = SEED + worker;
                works.add(() -> {
                    var random = new Random(seed);
                    for (int round = 0; round < ROUNDS; round++) {
                        Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
                        oneLife(fixture, random, fault, "seed " + seed + ", round " + round + ", " + fault);
                        undisturbed.addAndGet(fault == Fault.NONE ? 1 : 0);
                    }
                    return null;
                });
            }
            for (var future : threads.invokeAll(works)) {
                future.get();
            }
        }
        assertThat(undisturbed).as("lives without a fault").hasValueGreaterThan(WORKERS * ROUNDS / 8);
    }

    private static void oneLife(DevicePairFixture fixture, Random random, Fault fault, String life) {
        var settings = new Endpoint.Settings();
        settings.bytes = BYTES;
        try (var one = new Endpoint(fixture, fixture.first(), settings);
                var other = new Endpoint(fixture, fixture.second(), settings)) {
            Endpoint.connect(one, other);
            byte value = (byte) (1 + random.nextInt(100));
            one.memory.fill(value);
            int writes = random.nextInt(50);
            int longest = 0;
            for (int i = 0; i < writes; i++) {
                int length = random.nextInt(BYTES);
                longest = Math.max(longest, length);
                one.write(i, 0, length, other, 0);
            }
            switch (fault) {
                case PEER_FAILS -> other.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
                case MEMORY_IS_CLOSED -> other.region.close();
                case QUEUE_PAIR_FAILS -> one.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
                case NONE -> {
                    // Every write succeeds.
                }
            }
            assertThat(fixture.await(() -> one.polled(writes), LIMIT))
                    .as("%d completions of %d, %s", one.completed.size(), writes, life)
                    .isTrue();
            assertThat(one.completed)
                    .as("completions, %s", life)
                    .extracting(Completion::workId)
                    .containsExactlyElementsOf(
                            LongStream.range(0, writes).boxed().toList());
            List<WorkStatus> statuses =
                    one.completed.stream().map(Completion::status).toList();
            int succeeded = (int) statuses.stream()
                    .takeWhile(status -> status == WorkStatus.SUCCESS)
                    .count();
            assertThat(statuses.subList(succeeded, writes))
                    .as("statuses from the first failure on, %s", life)
                    .doesNotContain(WorkStatus.SUCCESS);
            if (fault != Fault.NONE) {
                assertThat(statuses.stream().skip(succeeded + 1L))
                        .as("statuses after the first failure, %s", life)
                        .allMatch(status -> status == WorkStatus.WR_FLUSH_ERR);
                return;
            }
            assertThat(succeeded).as("writes that succeeded, %s", life).isEqualTo(writes);
            assertThat(one.queuePair.state()).as("state, %s", life).isEqualTo(QueuePairState.RTS);
            assertThat(other.memory.asSlice(0, longest).mismatch(one.memory.asSlice(0, longest)))
                    .as("written bytes, %s", life)
                    .isEqualTo(-1);
            assertThat(other.memory.asSlice(longest).mismatch(MemorySegment.ofArray(new byte[BYTES - longest])))
                    .as("bytes that no write has named, %s", life)
                    .isEqualTo(-1);
        }
    }

    @Test
    void manyThreadsPostOnOneQueuePair() throws Exception {
        var settings = new Endpoint.Settings();
        int each = 2000;
        int posters = 4;
        try (var fixture = SoftwareDeviceContractTest.open(SoftwareOptions.defaults());
                var one = new Endpoint(fixture, fixture.first(), settings);
                var other = new Endpoint(fixture, fixture.second(), settings);
                var threads = Executors.newFixedThreadPool(posters)) {
            Endpoint.connect(one, other);
            var received = new AtomicInteger();
            List<Future<?>> posting = new ArrayList<>();
            for (int poster = 0; poster < posters; poster++) {
                int number = poster;
                posting.add(threads.submit(() -> {
                    var request = new SendWorkRequest();
                    for (int i = 0; i < each; ) {
                        try {
                            one.queuePair.postSend(request.writeWithImmediate(i, 0, 0, 0, 0, 0, number * each + i));
                            i++;
                        } catch (VerbsException refusal) {
                            if (refusal.errno() != VerbsException.ENOMEM) {
                                throw refusal;
                            }
                            // The queue is full.
                            Thread.onSpinWait();
                        }
                    }
                }));
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
            for (Future<?> poster : posting) {
                poster.get();
            }
        }
    }
}
