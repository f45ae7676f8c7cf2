package io.tensorferry.verbs.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.CompletionChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The duty cycle: commands, timers, sleep and wake-up.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CompletionLoopTest {
    /// Wakes only for a wake-up, and never for a timeout: a lost wake-up is never made up for.
    private static final class SleepingChannel implements CompletionChannel {
        private final Semaphore wakeUps = new Semaphore(0);
        private final AtomicInteger sleeps = new AtomicInteger();

        @Override
        public void await(long timeoutNs) {
            sleeps.incrementAndGet();
            wakeUps.acquireUninterruptibly();
            wakeUps.drainPermits();
        }

        @Override
        public void wakeUp() {
            wakeUps.release();
        }

        @Override
        public void close() {}
    }

    private static final class ManualClock implements NanoClock {
        private long now = -5;

        @Override
        public long nanoTime() {
            return now;
        }
    }

    private final SleepingChannel channel = new SleepingChannel();
    private final ManualClock clock = new ManualClock();
    private final CompletionLoop loop = new CompletionLoop(channel, clock);

    @Test
    void noCommandOfAnyThreadIsLeftToASleepingLoop() throws Exception {
        int threads = 4;
        int commandsPerThread = 25_000;
        int sleeps = 1_000;
        var running = new LoopThread("loop-under-test", 0);
        running.start(loop);
        var callers = new ArrayList<Thread>();
        var finished = new AtomicInteger();
        for (int i = 0; i < threads; i++) {
            callers.add(Thread.ofPlatform().start(() -> {
                // Each thread waits for its own command, so that the loop goes to sleep in between, again and again.
                var done = new Semaphore(0);
                for (int j = 0; j < commandsPerThread || channel.sleeps.get() < sleeps; j++) {
                    loop.execute(done::release);
                    done.acquireUninterruptibly();
                }
                finished.incrementAndGet();
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(finished).hasValue(threads);
        running.stop(() -> {});
    }

    @Test
    void theCommandsOfOneThreadRunInTheirOrder() throws Exception {
        int threads = 4;
        int commandsPerThread = 50_000;
        var running = new LoopThread("loop-under-test", 1_000);
        running.start(loop);
        int[] next = new int[threads];
        var disorder = new AtomicInteger();
        var callers = new ArrayList<Thread>();
        for (int i = 0; i < threads; i++) {
            int caller = i;
            callers.add(Thread.ofPlatform().start(() -> {
                for (int j = 0; j < commandsPerThread; j++) {
                    int number = j;
                    loop.execute(() -> {
                        if (next[caller]++ != number) {
                            disorder.incrementAndGet();
                        }
                    });
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        running.stop(() -> {});
        assertThat(next).containsOnly(commandsPerThread);
        assertThat(disorder).hasValue(0);
    }

    @Test
    void whatACommandThrowsEndsNothing() throws Exception {
        var running = new LoopThread("loop-under-test", 0);
        running.start(loop);
        var reached = new CountDownLatch(3);
        loop.execute(() -> {
            throw new IllegalStateException("a mistake");
        });
        loop.execute(reached::countDown);
        loop.execute(() -> {
            throw new AssertionError("a worse one");
        });
        loop.execute(reached::countDown);
        loop.execute(() -> {
            loop.schedule(0, () -> {
                throw new IllegalStateException("in a timer");
            });
            loop.schedule(0, reached::countDown);
        });
        assertThat(reached.await(30, TimeUnit.SECONDS)).isTrue();
        running.stop(() -> {});
    }

    @Test
    void timersThatAreDueShareTurnsWithCommands() {
        int timers = 10 * CompletionLoop.TIMERS_PER_TURN;
        var ran = new ArrayList<Integer>();
        for (int i = 0; i < timers; i++) {
            int number = i;
            loop.schedule(i, () -> ran.add(number));
        }
        clock.now += timers;
        for (int turn = 1; turn <= 10; turn++) {
            var command = new AtomicInteger();
            loop.execute(command::incrementAndGet);
            assertThat(loop.doWork()).isPositive();
            assertThat(ran).hasSize(turn * CompletionLoop.TIMERS_PER_TURN);
            assertThat(command).hasValue(1);
        }
        assertThat(ran).isSorted();
        assertThat(loop.doWork()).isZero();
    }

    @Test
    void commandsThatKeepComingLeaveTimersTheirTurn() {
        for (int i = 0; i < 10 * CompletionLoop.COMMANDS_PER_TURN; i++) {
            loop.execute(() -> {});
        }
        var ran = new AtomicInteger();
        loop.schedule(0, ran::incrementAndGet);
        assertThat(loop.doWork()).isEqualTo(CompletionLoop.COMMANDS_PER_TURN + 1);
        assertThat(ran).hasValue(1);
    }

    @Test
    void aLoopWithTimersLeftOverDoesNotSleep() throws Exception {
        int timers = 10 * CompletionLoop.TIMERS_PER_TURN;
        var reached = new CountDownLatch(timers);
        var running = new LoopThread("loop-under-test", 0);
        running.start(loop);
        loop.execute(() -> {
            for (int i = 0; i < timers; i++) {
                loop.schedule(0, reached::countDown);
            }
        });
        assertThat(reached.await(30, TimeUnit.SECONDS)).isTrue();
        running.stop(() -> {});
    }

    @Test
    void stopRunsWhatWasGivenBeforeItAndItsOwnLastCommand() {
        var running = new LoopThread("loop-under-test", 0);
        running.start(loop);
        var order = new ArrayList<String>();
        loop.execute(() -> order.add("before"));
        running.stop(() -> order.add("last"));
        loop.execute(() -> order.add("after"));
        assertThat(order).containsExactly("before", "last");
        // The caller owns the loop now.
        loop.doWork();
        assertThat(order).containsExactly("before", "last", "after");
    }

    @Test
    void stopEndsThoughItsLastCommandThrows() {
        var running = new LoopThread("loop-under-test", 0);
        running.start(loop);
        running.stop(() -> {
            throw new IllegalStateException("a mistake");
        });
        // The loop has returned, and no thread turns it any more.
        var ran = new AtomicInteger();
        loop.execute(ran::incrementAndGet);
        assertThat(loop.doWork()).isEqualTo(1);
        assertThat(ran).hasValue(1);
    }

    @Test
    void whatIsGivenAfterTheEndRunsOneAfterTheOther() throws Exception {
        var ran = new AtomicInteger();
        var atOnce = new AtomicInteger();
        Runnable command = () -> {
            assertThat(atOnce.incrementAndGet()).isEqualTo(1);
            ran.incrementAndGet();
            // Not inside the current command.
            loop.execute(() -> assertThat(atOnce).hasValue(0));
            atOnce.decrementAndGet();
        };
        loop.execute(command);
        loop.end();
        assertThat(ran).hasValue(1);

        var callers = new ArrayList<Thread>();
        for (int i = 0; i < 4; i++) {
            callers.add(Thread.ofPlatform().start(() -> {
                for (int j = 0; j < 1_000; j++) {
                    loop.execute(command);
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(ran).hasValue(4_001);
    }

    @Test
    void timersRunWhenTheyAreDueAndInTheirOrder() {
        var ran = new ArrayList<String>();
        loop.schedule(30, () -> ran.add("third"));
        loop.schedule(10, () -> ran.add("first"));
        CompletionLoop.Timer cancelled = loop.schedule(5, () -> ran.add("cancelled"));
        loop.schedule(20, () -> loop.schedule(0, () -> ran.add("second")));
        cancelled.cancel();
        assertThat(loop.nanosToNextTimer()).isEqualTo(10);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            loop.doWork();
            if (i == 10) {
                expected.add("first");
            } else if (i == 20) {
                expected.add("second");
            } else if (i == 30) {
                expected.add("third");
            }
            assertThat(ran).as("after %d ns", i).isEqualTo(expected);
            clock.now++;
        }
        assertThat(loop.nanosToNextTimer()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aTimerMayComeAcrossTheEndOfTheClock() {
        // The system's clock may start anywhere, and overflow.
        clock.now = Long.MAX_VALUE - 10;
        var ran = new ArrayList<String>();
        loop.schedule(20, () -> ran.add("late"));
        loop.schedule(5, () -> ran.add("early"));
        clock.now += 6;
        loop.doWork();
        assertThat(ran).containsExactly("early");
        clock.now += 20;
        loop.doWork();
        assertThat(ran).containsExactly("early", "late");
    }

    @Test
    void commandsDoNotKeepTimersFromRunning() {
        var ran = new AtomicInteger();
        loop.schedule(0, ran::incrementAndGet);
        // A command that submits another one, without end.
        var again = new Runnable[1];
        again[0] = () -> loop.execute(again[0]);
        loop.execute(again[0]);
        loop.doWork();
        assertThat(ran).hasValue(1);
    }

    /// A timer of half a minute that is cancelled at once must not stay for half a minute.
    @Test
    void cancelledTimersDoNotPileUp() {
        var ran = new AtomicInteger();
        var kept = new ArrayList<CompletionLoop.Timer>();
        for (int i = 0; i < 100; i++) {
            kept.add(loop.schedule(1_000 + i, ran::incrementAndGet));
        }
        for (int i = 0; i < 100_000; i++) {
            loop.schedule(30_000_000_000L, ran::incrementAndGet).cancel();
        }
        assertThat(loop.timerCount()).isLessThan(300);
        kept.getFirst().cancel();
        clock.now += 2_000;
        assertThat(loop.doWork()).isEqualTo(99);
        assertThat(ran).hasValue(99);
        kept.forEach(CompletionLoop.Timer::cancel);
        assertThat(loop.nanosToNextTimer()).isEqualTo(Long.MAX_VALUE);
        assertThat(loop.timerCount()).isZero();
    }
}
