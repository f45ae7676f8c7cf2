package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.QueuePairState;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/// Polling, notification and sleeping.
abstract class CompletionQueueContract extends DeviceContract {
    private static final long LONG_NS = Duration.ofSeconds(30).toNanos();
    private static final String NO_SLEEP = "no time passes on this device while the caller sleeps";

    @Test
    void isEmptyAtFirstAndHoldsWhatWasAskedFor() {
        makeEndpoints(settings -> {});
        assertThat(one.poll()).isZero();
        assertThat(one.completions.capacity()).isGreaterThanOrEqualTo(one.settings.completionEntries);
    }

    @Test
    void givesNoMoreThanAskedFor() {
        connect();
        for (int i = 0; i < 10; i++) {
            one.write(i, 0, 8, other, 0);
        }
        await("all ten complete", () -> {
            int before = one.completed.size();
            int taken = one.completions.poll(3, cursor -> one.completed.add(Completion.of(cursor)));
            assertThat(taken).isBetween(0, 3).isEqualTo(one.completed.size() - before);
            return one.completed.size() == 10;
        });
        assertThat(one.completions.poll(0, cursor -> {})).isZero();
    }

    @Test
    void holdsAllCompletionsOfItsCapacity() {
        connect(settings -> {
            settings.completionEntries = 64;
            settings.sendDepth = 64;
        });
        for (int i = 0; i < 64; i++) {
            one.write(i, 0, 8, other, 0);
        }
        // Long enough for all to be done; none is polled meanwhile.
        fixture.pass(Duration.ofMillis(20));
        awaitCompletions(one, 64);
    }

    @Test
    void aHandlerMayPost() {
        connect(settings -> settings.sendDepth = 1);
        one.write(0, 0, 8, other, 0);
        await("a chain of posts", () -> {
            one.completions.poll(1, cursor -> {
                one.completed.add(Completion.of(cursor));
                if (one.completed.size() < 20) {
                    one.write(one.completed.size(), 0, 8, other, 0);
                }
            });
            return one.completed.size() == 20;
        });
    }

    @Test
    void oneQueueServesSeveralQueuePairs() {
        connect();
        try (QueuePair second =
                one.domain.createQueuePair(new QueuePairOptions(one.completions, one.completions, 4, 4))) {
            second.modify(one.toInit());
            second.modify(one.toReadyToReceive(other));
            second.postReceive(77);
            second.modify(QueuePairAttributes.to(QueuePairState.ERR));
            one.write(1, 0, 8, other, 0);
            awaitCompletions(one, 2);
            assertThat(one.completed)
                    .extracting(Completion::queuePairNumber)
                    .containsExactlyInAnyOrder(second.number(), one.queuePair.number());
        }
    }

    @Test
    void sendAndReceiveQueueMayCompleteApart() {
        makeEndpoints(settings -> {});
        try (CompletionQueue apart = one.device.createCompletionQueue(16, null);
                QueuePair queuePair = one.domain.createQueuePair(new QueuePairOptions(one.completions, apart, 4, 4))) {
            queuePair.modify(one.toInit());
            queuePair.postReceive(5);
            queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
            await(
                    "the flush comes to the receive queue's completion queue",
                    () -> apart.poll(1, cursor -> assertThat(cursor.workId()).isEqualTo(5)) == 1);
            assertThat(one.poll()).isZero();
        }
    }

    @Test
    void aNotificationEndsTheSleep() {
        Assumptions.assumeTrue(fixture.canSleep(), NO_SLEEP);
        connect();
        one.completions.requestNotification();
        one.write(1, 0, 8, other, 0);
        one.channel.await(LONG_NS);
        assertThat(one.polled(1)).as("a completion is there after the sleep").isTrue();
    }

    @Test
    void eachRequestOfANotificationBringsOne() {
        Assumptions.assumeTrue(fixture.canSleep(), NO_SLEEP);
        connect();
        for (int i = 0; i < 200; i++) {
            one.completions.requestNotification();
            one.write(i, 0, 8, other, 0);
            while (!one.polled(i + 1)) {
                one.channel.await(LONG_NS);
                one.poll();
                if (one.completed.size() <= i) {
                    // An event of a completion that an earlier poll took already.
                    one.completions.requestNotification();
                }
            }
        }
    }

    @Test
    void aReceiverSleepsUntilAnImmediateComes() {
        Assumptions.assumeTrue(fixture.canSleep(), NO_SLEEP);
        connect();
        for (int i = 0; i < 100; i++) {
            other.queuePair.postReceive(i);
            other.completions.requestNotification();
            one.signal(i, i);
            while (!other.polled(i + 1)) {
                other.channel.await(LONG_NS);
                other.completions.requestNotification();
            }
            awaitCompletions(one, i + 1);
        }
    }

    @Test
    void aWakeUpEndsTheSleep() throws InterruptedException {
        Assumptions.assumeTrue(fixture.canSleep(), NO_SLEEP);
        makeEndpoints(settings -> {});
        var woke = new AtomicBoolean();
        Thread sleeper = Thread.ofPlatform().start(() -> {
            one.channel.await(LONG_NS);
            woke.set(true);
        });
        one.channel.wakeUp();
        sleeper.join(Duration.ofSeconds(20));
        assertThat(woke).isTrue();
    }

    @Test
    void aWakeUpBeforeTheSleepCounts() {
        makeEndpoints(settings -> {});
        one.channel.wakeUp();
        long start = System.nanoTime();
        one.channel.await(LONG_NS);
        assertThat(System.nanoTime() - start).isLessThan(LONG_NS / 2);
    }

    @Test
    void aSleepEndsWhenItsTimeHasPassed() {
        makeEndpoints(settings -> {});
        one.channel.await(0);
        one.channel.await(Duration.ofMillis(5).toNanos());
        assertThat(one.poll()).isZero();
    }
}
