package io.tensorferry.verbs.rendezvous.table;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// What may hold something of a step that stands in no table: requests of peers, contents on their way to them, and
/// calls of this worker.
///
/// Threading: any thread.
final class StepUses {
    private final AtomicInteger count = new AtomicInteger();
    private volatile @Nullable Runnable onEnded;

    /// Something begins to use the step; before it takes a tensor out of a table.
    void begin() {
        count.incrementAndGet();
    }

    void end() {
        if (count.decrementAndGet() == 0) {
            look();
        }
    }

    /// Something has ended that may have been the last.
    void look() {
        Runnable action = onEnded;
        if (action != null) {
            action.run();
        }
    }

    /// From now on `action` runs each time that something has ended which may have been the last.
    void watch(Runnable action) {
        onEnded = action;
    }

    int count() {
        return count.get();
    }
}
