package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LeakDetectionTest {
    private static final int HANDLES = 3;

    private static void drop(boolean close) {
        for (int i = 0; i < HANDLES; i++) {
            Tensor tensor = TensorAllocator.unregistered().allocate(DataType.FLOAT, Shape.of(i));
            if (close) {
                tensor.close();
            }
        }
    }

    /// Collects garbage until the count is reached or the time is over; returns the count.
    private static long collectUntil(LongSupplier count, long wanted) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (count.getAsLong() < wanted && System.nanoTime() < end) {
            System.gc();
            Thread.onSpinWait();
        }
        return count.getAsLong();
    }

    @Test
    void aDroppedHandleIsCountedAndAClosedOneIsNot() {
        long before = Tensor.leakedHandleCount();
        drop(true);
        drop(false);
        assertThat(collectUntil(Tensor::leakedHandleCount, before + HANDLES)).isEqualTo(before + HANDLES);
    }

    @Test
    void ofATensorThatWasHandedOverOnlyTheLastHandleIsMissed() {
        long before = Tensor.leakedHandleCount();
        handOverAndDrop(true);
        handOverAndDrop(false);
        assertThat(collectUntil(Tensor::leakedHandleCount, before + HANDLES)).isEqualTo(before + HANDLES);
    }

    private static void handOverAndDrop(boolean closed) {
        for (int i = 0; i < HANDLES; i++) {
            Tensor next = Tensor.wrap(DataType.UINT8, Shape.of(0), MemorySegment.NULL, () -> {})
                    .handOver()
                    .handOver();
            if (closed) {
                next.close();
            }
        }
    }
}
