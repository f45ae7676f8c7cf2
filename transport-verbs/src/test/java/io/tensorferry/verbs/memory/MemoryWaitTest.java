package io.tensorferry.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.thread.TransportThread;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.device.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// An allocation that the limit does not allow at the moment.
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class MemoryWaitTest {
    private static final int SLAB = 4096;
    private static final Duration LONG = Duration.ofMinutes(10);

    private final RecordingDomain domain = new RecordingDomain();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private RegisteredMemory memory = withWait(LONG);

    private RegisteredMemory withWait(Duration wait) {
        return new RegisteredMemory(domain, new MemoryOptions(SLAB, 2 * SLAB).withWaitAtLimit(wait));
    }

    @AfterEach
    void close() {
        memory.close();
        threads.close();
    }

    /// Returns when the allocation waits for released memory.
    private Future<RegisteredBuffer> allocateLater(long bytes) throws InterruptedException {
        var allocation = new FutureTask<>(() -> memory.allocate(bytes));
        Thread thread = Thread.ofVirtual().start(allocation);
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(allocation.isDone())
                    .as("the allocation ended without a wait")
                    .isFalse();
            Thread.sleep(1);
        }
        return allocation;
    }

    private static void assertWaits(Future<RegisteredBuffer> allocation) throws InterruptedException {
        Thread.sleep(20);
        assertThat(allocation.isDone()).isFalse();
    }

    private static void assertExhausted(Future<RegisteredBuffer> allocation) throws Exception {
        try {
            allocation.get(20, TimeUnit.SECONDS).close();
            throw new AssertionError("it was allocated");
        } catch (ExecutionException e) {
            assertThat(e.getCause())
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            failure -> assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
        }
    }

    @Test
    void waitsUntilMemoryComesBack() throws Exception {
        RegisteredBuffer first = memory.allocate(SLAB);
        RegisteredBuffer second = memory.allocate(SLAB);
        Future<RegisteredBuffer> waiting = allocateLater(SLAB);
        assertWaits(waiting);
        first.close();
        waiting.get(20, TimeUnit.SECONDS).close();
        second.close();
        assertThat(memory.statistics().bytesInUse()).isZero();
    }

    /// A callback on the loop may release the memory.
    @Test
    void doesNotWaitOnAThreadOfTheTransportThatNeverWaits() throws Exception {
        RegisteredBuffer all = memory.allocate(2 * SLAB);
        var allocation = new FutureTask<>(() -> memory.allocate(SLAB));
        Thread.ofPlatform().start(TransportThread.neverWaiting(allocation));
        assertExhausted(allocation);
        all.close();
    }

    @Test
    void waitsUntilASlabOfALargeRequestIsReleased() throws Exception {
        RegisteredBuffer large = memory.allocate(2 * SLAB);
        Future<RegisteredBuffer> waiting = allocateLater(100);
        assertWaits(waiting);
        large.close();
        waiting.get(20, TimeUnit.SECONDS).close();
    }

    @Test
    void theOneThatHasWaitedLongestIsNotOvertakenByOthersThatWait() throws Exception {
        List<RegisteredBuffer> taken = new ArrayList<>();
        for (int i = 0; i < 2 * SLAB / 1024; i++) {
            taken.add(memory.allocate(1024));
        }
        Future<RegisteredBuffer> large = allocateLater(SLAB);
        assertWaits(large);
        Future<RegisteredBuffer> small = allocateLater(64);
        taken.removeLast().close();
        assertWaits(large);
        assertWaits(small);
        taken.forEach(RegisteredBuffer::close);
        large.get(20, TimeUnit.SECONDS).close();
        small.get(20, TimeUnit.SECONDS).close();
    }

    @Test
    void manyThatWaitAreServedOneAfterTheOther() throws Exception {
        RegisteredBuffer all = memory.allocate(2 * SLAB);
        List<Future<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            waiting.add(threads.submit(() -> memory.allocate(SLAB).close()));
        }
        all.close();
        for (Future<?> each : waiting) {
            each.get(20, TimeUnit.SECONDS);
        }
        assertThat(memory.statistics().bytesInUse()).isZero();
        assertThat(memory.statistics().slabBytes()).isLessThanOrEqualTo(2 * SLAB);
    }

    @Test
    void failsWhenTheTimeIsUp() throws Exception {
        memory = withWait(Duration.ofMillis(50));
        try (RegisteredBuffer _ = memory.allocate(2 * SLAB)) {
            long start = System.nanoTime();
            Future<RegisteredBuffer> one = allocateLater(1);
            Future<RegisteredBuffer> another = allocateLater(1);
            assertExhausted(one);
            assertExhausted(another);
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(50_000_000);
        }
    }

    @Test
    void whoMustNotWaitFailsAtOnce() {
        try (RegisteredBuffer _ = memory.allocate(2 * SLAB)) {
            List<Supplier<AutoCloseable>> allocations = List.of(
                    () -> memory.allocateNow(1),
                    () -> memory.allocatorNow().allocate(DataType.UINT8, Shape.of(1)),
                    // Never possible, so a wait would be useless.
                    () -> memory.allocate(2 * SLAB + 1));
            for (Supplier<AutoCloseable> allocation : allocations) {
                assertThatThrownBy(allocation::get)
                        .isInstanceOfSatisfying(
                                TransportException.class,
                                e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
            }
        }
    }

    @Test
    void memoryThatCannotBePinnedIsNotWaitedFor() {
        domain.registerFailure = new VerbsException("ibv_reg_mr", VerbsException.ENOMEM, "RLIMIT_MEMLOCK");
        assertThatThrownBy(() -> memory.allocate(1))
                .hasMessageContaining("RESOURCE_EXHAUSTED")
                .hasMessageContaining("RLIMIT_MEMLOCK");
    }

    @Test
    void anInterruptEndsTheWait() throws Exception {
        try (RegisteredBuffer _ = memory.allocate(2 * SLAB)) {
            var interrupted = new CompletableFuture<Boolean>();
            Thread waiting = Thread.ofPlatform().start(() -> {
                try {
                    memory.allocate(1).close();
                } catch (TransportException e) {
                    interrupted.complete(e.code() == StatusCode.RESOURCE_EXHAUSTED
                            && Thread.currentThread().isInterrupted());
                }
            });
            waiting.interrupt();
            assertThat(interrupted.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void nobodyWaitsForMemoryThatIsAboutToEnd() throws Exception {
        try (RegisteredBuffer _ = memory.allocate(2 * SLAB)) {
            Future<RegisteredBuffer> one = allocateLater(1);
            Future<RegisteredBuffer> another = allocateLater(1);
            assertWaits(one);
            memory.endWaits();
            assertExhausted(one);
            assertExhausted(another);
            assertExhausted(threads.submit(() -> memory.allocate(1)));
        }
    }

    @Test
    void aWaitOutOfItsRangeIsRefused() {
        for (Duration wrong : new Duration[] {Duration.ofNanos(-1), Duration.ofDays(2)}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MemoryOptions.defaults().withWaitAtLimit(wrong))
                    .withMessageContaining("waitAtLimit");
        }
        assertThat(MemoryOptions.defaults().waitAtLimit()).isZero();
    }
}
