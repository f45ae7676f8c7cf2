package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.TransportException;
import java.util.concurrent.CompletableFuture;

/// The end of a step that takes no more sends, and is closed when nothing is left to be done in it.
///
/// Threading: any thread.
final class StepFinish {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final Runnable leave;

    /// @param leave takes the step out of the table of steps; the second and later calls do nothing
    StepFinish(Runnable leave) {
        this.leave = leave;
    }

    /// Completes once the step is closed, on whatever thread closes it.
    CompletableFuture<Void> done() {
        return done;
    }

    /// Nothing is left to be done: before the step ends.
    void leaveTable() {
        leave.run();
    }

    /// The step has ended, and nothing was left to be done.
    void succeed() {
        done.complete(null);
    }

    /// The step has ended, or is about to, and something was.
    void fail(TransportException cause) {
        leave.run();
        done.completeExceptionally(cause);
    }
}
