package io.tensorferry.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class DescriptorWaitTest {
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(10);
    /// Standard error: open, but never readable.
    private static final int QUIET = 2;

    @Test
    void aWakeUpEndsTheWaitThatGoesOn() throws InterruptedException {
        try (var wait = new DescriptorWait(QUIET)) {
            Thread sleeper = Thread.ofPlatform().start(() -> wait.await(LONG_NS));
            wait.wakeUp();
            sleeper.join();
        }
    }

    @Test
    void aWakeUpThatCameBeforeEndsTheNextWaitOnce() {
        try (var wait = new DescriptorWait(QUIET)) {
            wait.wakeUp();
            wait.wakeUp();
            wait.await(LONG_NS);
            long start = System.nanoTime();
            wait.await(20_000_000);
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(10_000_000);
        }
    }

    @Test
    void timePasses() {
        try (var wait = new DescriptorWait(QUIET)) {
            wait.await(0);
            wait.await(1);
        }
    }

    @Test
    void wakingWhatIsClosedDoesNothing() {
        var wait = new DescriptorWait(QUIET);
        wait.close();
        wait.wakeUp();
        wait.close();
    }

    @Test
    void aDescriptorThatIsNotOpenIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> new DescriptorWait(1_000_000).close())
                .withMessageContaining("1000000");
    }
}
