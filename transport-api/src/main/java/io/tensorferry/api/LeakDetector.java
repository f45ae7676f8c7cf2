package io.tensorferry.api;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Detects tensor handles that became unreachable without being closed, counts them, and logs each.
///
/// The memory of a leaked handle is not reused, because its owner may still hold the segment.
/// `-Dio.tensorferry.leakStacks=true` records the stack trace that created each handle.
final class LeakDetector {
    private static final Logger LOG = LoggerFactory.getLogger(LeakDetector.class);
    private static final Cleaner CLEANER = Cleaner.create();
    private static final boolean RECORD_STACKS = Boolean.getBoolean("io.tensorferry.leakStacks");
    private static final int OPEN = 0;
    private static final int CLOSED = 1;
    private static final int HANDED_OVER = 2;
    private static final AtomicLong LEAKED = new AtomicLong();

    private LeakDetector() {}

    static long leakedCount() {
        return LEAKED.get();
    }

    /// Starts to watch `handle`; the returned watch holds the handle's state.
    static Watch watch(Tensor handle, DataType dataType, Shape shape) {
        var report = new Report(dataType, shape, RECORD_STACKS ? new Throwable("the handle was made here") : null);
        return new Watch(report, CLEANER.register(handle, report));
    }

    /// The state of one handle: open, closed or handed over. Threading: any thread.
    static final class Watch {
        private final Report report;
        private final Cleaner.Cleanable cleanable;

        private Watch(Report report, Cleaner.Cleanable cleanable) {
            this.report = report;
            this.cleanable = cleanable;
        }

        boolean isClosed() {
            return report.state.get() != OPEN;
        }

        /// Whether [#end] was called with `handedOver`.
        boolean isHandedOver() {
            return report.state.get() == HANDED_OVER;
        }

        /// Ends the watch; returns whether this call ended it.
        ///
        /// @param handedOver whether another handle replaces this one
        boolean end(boolean handedOver) {
            boolean first = report.state.compareAndSet(OPEN, handedOver ? HANDED_OVER : CLOSED);
            if (first) {
                // Runs the report, which logs nothing for a closed handle, and deregisters the handle from the cleaner.
                cleanable.clean();
            }
            return first;
        }
    }

    private static final class Report implements Runnable {
        private final AtomicInteger state = new AtomicInteger(OPEN);
        private final DataType dataType;
        private final Shape shape;
        private final @Nullable Throwable origin;

        Report(DataType dataType, Shape shape, @Nullable Throwable origin) {
            this.dataType = dataType;
            this.shape = shape;
            this.origin = origin;
        }

        @Override
        public void run() {
            if (state.get() == OPEN) {
                LEAKED.incrementAndGet();
                LOG.warn(
                        "a handle on a {} tensor of shape {} was dropped without close(); its memory is lost to the pool{}",
                        dataType,
                        shape,
                        origin == null ? "; -Dio.tensorferry.leakStacks=true shows where it was made" : "",
                        origin);
            }
        }
    }
}
