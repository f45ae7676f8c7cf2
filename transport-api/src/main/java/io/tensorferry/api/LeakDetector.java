package io.tensorferry.api;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds tensor handles that became unreachable without being closed, counts them and reports each.
///
/// The memory of a leaked handle is not reused: its owner may still hold the segment. `-Dio.tensorferry.leakStacks=true` records where each handle was made.
final class LeakDetector {
    private static final Logger LOG = LoggerFactory.getLogger(LeakDetector.class);
    private static final Cleaner CLEANER = Cleaner.create();
    private static final boolean RECORD_STACKS = Boolean.getBoolean("io.tensorferry.leakStacks");
    private static final AtomicLong LEAKED = new AtomicLong();

    private LeakDetector() {}

    static long leakedCount() {
        return LEAKED.get();
    }

    /// Watches `handle`; the returned flag says that it was closed.
    static AtomicBoolean watch(Tensor handle, String description) {
        var closed = new AtomicBoolean();
        var origin = RECORD_STACKS ? new Throwable("the handle was made here") : null;
        CLEANER.register(handle, new Report(closed, description, origin));
        return closed;
    }

    private record Report(AtomicBoolean closed, String description, @Nullable Throwable origin) implements Runnable {
        @Override
        public void run() {
            if (!closed.get()) {
                LEAKED.incrementAndGet();
                LOG.warn(
                        "a tensor handle ({}) was dropped without close(); its memory is lost to the pool{}",
                        description,
                        origin == null ? "; -Dio.tensorferry.leakStacks=true shows where it was made" : "",
                        origin);
            }
        }
    }
}
