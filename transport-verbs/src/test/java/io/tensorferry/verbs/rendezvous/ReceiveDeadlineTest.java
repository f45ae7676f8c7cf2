package io.tensorferry.verbs.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class ReceiveDeadlineTest {
    private final List<Long> delays = new ArrayList<>();
    private final List<Runnable> actions = new ArrayList<>();
    private final AtomicInteger calledOff = new AtomicInteger();
    private final AtomicInteger passed = new AtomicInteger();
    private final ReceiveTimer timer = (delayNs, action) -> {
        delays.add(delayNs);
        actions.add(action);
        return calledOff::incrementAndGet;
    };
    private final ReceiveDeadline deadline = new ReceiveDeadline();

    @Test
    void runsItsActionAfterTheTimeout() {
        deadline.start(timer, Duration.ofMillis(3), passed::incrementAndGet);
        assertThat(delays).containsExactly(3_000_000L);
        assertThat(passed).hasValue(0);
        actions.getFirst().run();
        assertThat(passed).hasValue(1);
    }

    @Test
    void anEndCallsTheTimerOffOnce() {
        deadline.start(timer, Duration.ofMillis(3), passed::incrementAndGet);
        deadline.end();
        deadline.end();
        assertThat(calledOff).hasValue(1);
    }

    @Test
    void anEndBeforeTheStartLeavesNoTimer() {
        deadline.end();
        deadline.start(timer, Duration.ofMillis(3), passed::incrementAndGet);
        assertThat(delays).isEmpty();
    }

    @Test
    void anEndDuringTheStartCallsTheTimerOff() {
        deadline.start(
                (delayNs, action) -> {
                    deadline.end();
                    return timer.schedule(delayNs, action);
                },
                Duration.ofMillis(3),
                passed::incrementAndGet);
        assertThat(calledOff).hasValue(1);
    }

    @Test
    void whatIsPastIsNowAndWhatIsFarNeverComes() {
        deadline.start(timer, Duration.ofSeconds(Long.MIN_VALUE), passed::incrementAndGet);
        new ReceiveDeadline().start(timer, Duration.ofSeconds(Long.MAX_VALUE), passed::incrementAndGet);
        assertThat(delays).containsExactly(0L);
    }

    @Test
    void anExecutorKeepsTimeAndForgetsWhatIsCalledOff() throws InterruptedException {
        try (var executor = new ScheduledThreadPoolExecutor(1)) {
            executor.setRemoveOnCancelPolicy(true);
            ReceiveTimer onExecutor = ReceiveTimer.of(executor);
            Runnable callOff = onExecutor.schedule(TimeUnit.HOURS.toNanos(1), passed::incrementAndGet);
            assertThat(executor.getQueue()).hasSize(1);
            callOff.run();
            assertThat(executor.getQueue()).isEmpty();
            onExecutor.schedule(0, passed::incrementAndGet);
            executor.shutdown();
            assertThat(executor.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(passed).hasValue(1);
    }

    @Test
    void anExecutorThatHasEndedRunsNothingAndRefusesNobody() {
        var executor = Executors.newSingleThreadScheduledExecutor();
        executor.shutdown();
        ReceiveTimer.of(executor).schedule(0, passed::incrementAndGet).run();
        assertThat(passed).hasValue(0);
    }
}
