package io.tensorferry.verbs.rendezvous.table;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Counts the holders of a step's tensors outside its tables: peer requests, content in transfer, and calls of this
/// worker.
///
/// Threading: any thread.
final class StepUses {
    private final AtomicInteger count = new AtomicInteger();
    private volatile @Nullable Runnable onEnded;

    /// Begins a use of the step; called before the user takes a tensor out of a table.
    void begin() {
        count.incrementAndGet();
    }

    void end() {
        if (count.decrementAndGet() == 0) {
            look();
        }
    }

    /// Runs the watching action, because the last use or receive may have ended.
    void look() {
        Runnable action = onEnded;
        if (action != null) {
            action.run();
        }
    }

    /// Sets the action to run whenever the last use or receive may have ended.
    void watch(Runnable action) {
        onEnded = action;
    }

    int count() {
        return count.get();
    }
}
